package e2e_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// lookup returns the value at a path such as "runs.0.exit.code" as text: a
// string as it is, everything else as JSON. "runs.length" is a length; what is not
// there is "absent".
func lookup(body []byte, path string) (string, error) {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return "", fmt.Errorf("%w in %q", err, body)
	}
	for name := range strings.SplitSeq(path, ".") {
		if path == "." {
			break
		}
		var ok bool
		if v, ok = step(v, name); !ok {
			return "absent", nil
		}
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}

func step(v any, name string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		next, ok := v[name]
		return next, ok
	case []any:
		if name == "length" {
			return len(v), true
		}
		if i, err := strconv.Atoi(name); err == nil && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

// same compares with a value or, behind "~", with a regular expression.
func same(got, want string) bool {
	if pattern, ok := strings.CutPrefix(want, "~"); ok {
		return regexp.MustCompile(pattern).MatchString(got)
	}
	return got == want
}
