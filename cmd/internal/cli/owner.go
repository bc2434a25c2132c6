package cli

import (
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agent-runs/agent-runs/internal/span"
)

// Owner returns on whose behalf we are called: the flag, else
// AGENT_RUNS_OWNER, else the session of the agent whose tool command we are,
// else "user". The variables are those the agents set for their tools.
func Owner(flag string) (string, error) {
	if flag != "" {
		return flag, CheckLabel("--owner", flag)
	}
	for _, v := range []string{"AGENT_RUNS_OWNER", "PI_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"} {
		if o := os.Getenv(v); o != "" {
			return o, CheckLabel(v, o)
		}
	}
	return "user", nil
}

// maxLabel bounds names and owners, in bytes.
const maxLabel = 200

// CheckLabel refuses what would break a line, a table or a terminal.
func CheckLabel(field, s string) error {
	switch {
	case s == "":
		return Fail(Usage, "%s is empty", field)
	case len(s) > maxLabel:
		return Fail(Usage, "%s has %d bytes, at most %d are accepted", field, len(s), maxLabel)
	case !utf8.ValidString(s):
		return Fail(Usage, "%s %q is not valid UTF-8", field, s)
	case strings.ContainsFunc(s, unicode.IsControl):
		return Fail(Usage, "%s %q contains a control character such as a newline", field, s)
	case strings.TrimSpace(s) != s:
		return Fail(Usage, "%s %q begins or ends with a space", field, s)
	}
	return nil
}

// minIDLike is how much of an id somebody must have typed to mean one.
const minIDLike = 8

// CheckName refuses names that could not be told from an id or the beginning
// of one: all ids of this era begin with "01" and consist of Crockford's
// characters.
func CheckName(name string) error {
	if err := CheckLabel("--name", name); err != nil {
		return err
	}
	id := strings.ToUpper(name)
	if len(id) >= minIDLike && strings.HasPrefix(id, "01") && strings.Trim(id, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == "" && len(id) <= 26 {
		return Fail(Usage, "--name %q could be the beginning of an id", name).WithTry("a name with another character in it, such as %q", "run-"+name)
	}
	return nil
}

// CheckSpan refuses durations that are negative or absurd. least is the
// smallest one accepted.
func CheckSpan(field string, d, least time.Duration) error {
	if d < least || d > span.Longest {
		return Fail(Usage, "%s %v is out of range, %s to %v are accepted", field, d, spanWord(least), span.Longest)
	}
	return nil
}

func spanWord(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	return fmt.Sprint(d)
}
