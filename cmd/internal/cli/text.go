package cli

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/agent-runs/agent-runs/journal"
)

// textRoom is what a text may take in a record, as JSON.
const textRoom = journal.MaxRecordBytes - 1<<20

// CheckText refuses a text for an agent that says nothing, or that a record
// would change or could not hold.
func CheckText(field, text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return Fail(Usage, "%s is empty", field)
	case !utf8.ValidString(text):
		return Fail(Usage, "%s is not valid UTF-8", field)
	case strings.ContainsRune(text, 0):
		return Fail(Usage, "%s contains a NUL character", field)
	}
	if len(text) < textRoom/6 { // no character takes more than six times its room
		return nil
	}
	if b, err := json.Marshal(text); err != nil || len(b) > textRoom {
		return Fail(Usage, "%s needs %d bytes, a record holds at most %d", field, len(b), textRoom).WithTry("a file, which the prompt names")
	}
	return nil
}
