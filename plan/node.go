package plan

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// kind is what a value in a file is.
type kind int

const (
	nothing kind = iota // null
	scalar              // text, a number, true or false: as it was typed
	list
	mapping
)

// node is a value in a file, with the line it begins in.
type node struct {
	kind    kind
	line    int
	text    string  // of a scalar
	items   []*node // of a list
	entries []entry // of a mapping, in the file's order
}

// entry is a field of a mapping.
type entry struct {
	key   string
	line  int
	value *node
}

// what names the kind for a person.
func (n *node) what() string {
	switch n.kind {
	case scalar:
		return "a single value"
	case list:
		return "a list"
	case mapping:
		return "a mapping"
	}
	return "nothing"
}

// maxDepth is how deep values may be nested. A plan needs five.
const maxDepth = 20

// read decodes a file: as JSON where it is JSON, else as YAML.
func read(body []byte) (*node, *Fault) {
	if !utf8.Valid(body) {
		return nil, &Fault{Text: "the plan is not valid UTF-8"}
	}
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 {
		return nil, &Fault{Text: "the plan is empty"}
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		if json.Valid(body) {
			return readJSON(body)
		}
		n, fault := readYAML(body)
		if fault != nil { // it begins as JSON, so that is what was meant
			_, fault = readJSON(body)
		}
		return n, fault
	}
	return readYAML(body)
}
