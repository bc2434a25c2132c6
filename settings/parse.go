package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// member is one field of a file: its name, or section and name, and its value.
type member struct {
	name string
	raw  json.RawMessage
}

// malformed says at which line a file stops making sense, and why.
type malformed struct {
	line int
	why  string
}

func (m *malformed) Error() string { return fmt.Sprintf("line %d: %s", m.line, m.why) }

// parse checks that body is one JSON object in which no name comes twice, and
// returns its members in order.
func parse(body []byte) ([]member, error) {
	var whole json.RawMessage // nothing is decoded: whether it could be
	if err := json.Unmarshal(body, &whole); err != nil {
		var at *json.SyntaxError
		if !errors.As(err, &at) {
			return nil, &malformed{1, err.Error()}
		}
		return nil, &malformed{lineAt(body, at.Offset-1), at.Error()}
	}
	if start := bytes.TrimLeft(body, " \t\r\n"); start[0] != '{' {
		return nil, &malformed{lineAt(body, int64(len(body)-len(start))), "an object is expected, { … }"}
	}
	if name, offset, ok := twice(body); ok {
		return nil, &malformed{lineAt(body, offset), fmt.Sprintf("the name %q comes twice", shorten(name))}
	}
	return members(body)
}

func lineAt(body []byte, offset int64) int {
	return 1 + bytes.Count(body[:min(max(offset, 0), int64(len(body)))], []byte{'\n'})
}

// members splits one object whose JSON is known to be valid.
func members(object []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var all []member
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		m := member{name: name}
		if err := d.Decode(&m.raw); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// twice finds a name that an object has twice, in valid JSON.
func twice(body []byte) (name string, offset int64, found bool) {
	type frame struct {
		names map[string]bool // nil: an array
		value bool            // a name was read, its value is next
	}
	var open []frame
	for d := json.NewDecoder(bytes.NewReader(body)); ; {
		t, err := d.Token()
		if err != nil {
			return "", 0, false
		}
		if c, ok := t.(json.Delim); ok && (c == '}' || c == ']') {
			open = open[:len(open)-1]
			continue
		}
		if n := len(open); n > 0 && open[n-1].names != nil {
			top := &open[n-1]
			if !top.value {
				name, _ := t.(string)
				if top.names[name] {
					return name, d.InputOffset(), true
				}
				top.names[name], top.value = true, true
				continue
			}
			top.value = false
		}
		switch t {
		case json.Delim('{'):
			open = append(open, frame{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, frame{})
		}
	}
}

// maxShown bounds what is repeated of a file in a warning, in bytes.
const maxShown = 60

// shorten cuts s, and a character that it cuts in two is left out.
func shorten(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return string(bytes.ToValidUTF8([]byte(s[:maxShown]), nil)) + "…"
}
