package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// empty is a file that sets nothing.
const empty = "{}\n"

// Set returns the file with one more setting in it, or with another value.
// Whatever else is in it stays, unknown names included. No body is a file that
// is not there. It fails where the file makes no sense.
func Set(body []byte, k Key, v Value) ([]byte, error) {
	all, err := parseOrEmpty(body)
	if err != nil {
		return nil, err
	}
	return indented(object(put(all, k.Name, k.JSON(v)))), nil
}

// Unset returns the file without a setting, and whether it was in there. The
// name may be unknown.
func Unset(body []byte, name string) (left []byte, found bool, err error) {
	all, err := parseOrEmpty(body)
	if err != nil {
		return nil, false, err
	}
	kept, found := without(all, name)
	if !found {
		return body, false, nil
	}
	return indented(object(kept)), true, nil
}

func parseOrEmpty(body []byte) ([]member, error) {
	if len(body) == 0 {
		body = []byte(empty)
	}
	return parse(body)
}

// Check returns what in a layer's file is left out. The error says why the
// file as a whole makes no sense. That a project's file can only tighten is
// not looked at: this depends on the other files.
func Check(layer string, body []byte) ([]Problem, error) {
	all, problems, err := fields(body)
	for _, x := range all {
		if why := x.refusedFrom(layer, Setting{}); why != "" {
			problems = append(problems, Problem{Words: fmt.Sprintf("%s %s is left out: %s", x.Name, shown(x.JSON(x.Value)), why)})
		}
	}
	for i := range problems {
		problems[i].Words = strings.Map(printable, problems[i].Words)
	}
	return problems, err
}

// Changed names the settings that differ between two versions of a file,
// sorted. One that makes no sense sets nothing.
func Changed(before, after []byte) []string {
	a, b := valuesIn(before), valuesIn(after)
	var names []string
	for name, v := range a {
		if !bytes.Equal(v, b[name]) {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// In returns the value that a file sets; ok says whether it does.
func In(body []byte, k Key) (v Value, ok bool) {
	all, _, err := fields(body)
	if err != nil {
		return Value{}, false
	}
	for _, x := range all {
		if x.Name == k.Name {
			v, ok = x.Value, true
		}
	}
	return v, ok
}

func valuesIn(body []byte) map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	all, _, err := fields(body)
	if err != nil {
		return values
	}
	for _, x := range all {
		values[x.Name] = x.JSON(x.Value)
	}
	return values
}

// Read returns what is in a layer's file. It is not there where there is nil
// and no error.
func Read(f File) ([]byte, error) {
	c := readFile(f)
	if c.trouble != "" {
		return nil, fmt.Errorf("%s: %s", f.Path, c.trouble)
	}
	if c.there && c.body == nil {
		c.body = []byte{}
	}
	return c.body, nil
}
