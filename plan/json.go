package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// jsonReader reads values with their lines, which package json does not tell.
type jsonReader struct {
	*json.Decoder
	body []byte
	line int   // of the byte at
	at   int64 // up to which lines were counted
}

func readJSON(body []byte) (*node, *Fault) {
	r := &jsonReader{Decoder: json.NewDecoder(bytes.NewReader(body)), body: body, line: 1}
	r.UseNumber()
	n, err := r.value(0)
	if err == nil {
		if _, err = r.Token(); err == nil {
			err = errors.New("something follows the plan")
		} else if errors.Is(err, io.EOF) {
			return n, nil
		}
	}
	offset := r.InputOffset()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = max(offset, syntax.Offset)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too soon")
	}
	return nil, &Fault{Line: r.lineAt(offset), Text: fmt.Sprintf("not valid JSON: %v", err)}
}

// lineAt is the line of a byte. Offsets only grow.
func (r *jsonReader) lineAt(offset int64) int {
	offset = min(offset, int64(len(r.body)))
	if offset > r.at {
		r.line += bytes.Count(r.body[r.at:offset], []byte{'\n'})
		r.at = offset
	}
	return r.line
}

func (r *jsonReader) value(depth int) (*node, error) {
	t, err := r.Token()
	if err != nil {
		return nil, err
	}
	n := &node{kind: scalar, line: r.lineAt(r.InputOffset())}
	switch v := t.(type) {
	case nil:
		n.kind = nothing
	case string:
		n.text = v
	case bool:
		n.text = fmt.Sprint(v)
	case json.Number:
		n.text = v.String()
	case json.Delim:
		if depth == maxDepth {
			return nil, errors.New("it is nested too deep")
		}
		if v == '[' {
			n.kind, err = list, r.list(n, depth+1)
		} else {
			n.kind, err = mapping, r.mapping(n, depth+1)
		}
	}
	return n, err
}

func (r *jsonReader) list(n *node, depth int) error {
	for r.More() {
		item, err := r.value(depth)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := r.Token()
	return err
}

func (r *jsonReader) mapping(n *node, depth int) error {
	for r.More() {
		key, err := r.Token()
		if err != nil {
			return err
		}
		e := entry{key: fmt.Sprint(key), line: r.lineAt(r.InputOffset())}
		if e.value, err = r.value(depth); err != nil {
			return err
		}
		n.entries = append(n.entries, e)
	}
	_, err := r.Token()
	return err
}
