package plan

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

func readYAML(body []byte) (*node, *Fault) {
	d := yaml.NewDecoder(bytes.NewReader(body))
	var doc, more yaml.Node
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, &Fault{Text: "the plan is empty"}
	}
	if err != nil {
		return nil, &Fault{Text: "not valid YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if err := d.Decode(&more); err == nil {
		return nil, &Fault{Line: more.Line, Text: "there are two documents, but a plan is one"}
	} else if !errors.Is(err, io.EOF) {
		return nil, &Fault{Text: "not valid YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	y := yamlReader{room: maxNodes}
	n := y.node(&doc, 0)
	return n, y.fault
}

// maxNodes bounds what aliases can make of a small file.
const maxNodes = 1 << 20

// yamlReader turns the library's nodes into ours.
type yamlReader struct {
	room  int
	fault *Fault
}

func (y *yamlReader) node(from *yaml.Node, depth int) *node {
	n := &node{line: from.Line}
	if y.room--; y.fault == nil && (y.room < 0 || depth > maxDepth) {
		y.fault = &Fault{Line: from.Line, Text: "not a plan: it is nested too deep, or its aliases are too many"}
	}
	if y.fault != nil {
		return n
	}
	switch from.Kind {
	case yaml.DocumentNode:
		return y.node(from.Content[0], depth)
	case yaml.AliasNode:
		n = y.node(from.Alias, depth+1)
		n.line = from.Line
	case yaml.SequenceNode:
		n.kind = list
		for _, c := range from.Content {
			n.items = append(n.items, y.node(c, depth+1))
		}
	case yaml.MappingNode:
		n.kind = mapping
		for i := 0; i+1 < len(from.Content); i += 2 {
			key := from.Content[i]
			n.entries = append(n.entries, entry{key.Value, key.Line, y.node(from.Content[i+1], depth+1)})
		}
	case yaml.ScalarNode:
		if from.Tag != "!!null" {
			n.kind, n.text = scalar, from.Value
		}
	}
	return n
}
