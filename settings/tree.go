package settings

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// put sets name, which may be section.name, in the members of an object and
// keeps the others, whatever they are, in their order.
func put(all []member, name string, raw json.RawMessage) []member {
	section, rest, nested := strings.Cut(name, ".")
	i := slices.IndexFunc(all, func(m member) bool { return m.name == section })
	if i < 0 {
		i, all = len(all), append(all, member{name: section})
	}
	if nested {
		raw = object(put(inside(all[i].raw), rest, raw))
	}
	all[i].raw = raw
	return all
}

// without takes name out, and a section that becomes empty with it.
func without(all []member, name string) (left []member, found bool) {
	section, rest, nested := strings.Cut(name, ".")
	i := slices.IndexFunc(all, func(m member) bool { return m.name == section })
	if i < 0 {
		return all, false
	}
	if nested {
		kept, found := without(inside(all[i].raw), rest)
		if !found {
			return all, false
		}
		if len(kept) > 0 {
			all[i].raw = object(kept)
			return all, true
		}
	}
	return slices.Delete(all, i, i+1), true
}

// inside is the members of an object; what is none has none.
func inside(raw json.RawMessage) []member {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	all, err := members(raw)
	if err != nil {
		return nil
	}
	return all
}

// object puts members together again.
func object(all []member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil { // a string always can be
			name = []byte(`""`)
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.raw)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// indented is an object as a person would have written it.
func indented(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return raw
	}
	b.WriteByte('\n')
	return b.Bytes()
}
