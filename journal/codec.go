package journal

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"
)

// Package encoding/json has to learn a type before its first record of it: a
// quarter of a millisecond for a launch, paid by every command and every shim,
// which is more than all else they do to it. The records on the way of a launch
// and a stop are therefore written and read field by field, byte for byte as
// encoding/json does it. What is not exactly as we write it is left to
// encoding/json to read, or to refuse.

// codec writes one record or reads it. The same list of fields serves both.
type codec struct {
	b       []byte // what is written, or what is left to be read
	reading bool
	between bool  // a comma comes before the next field or element
	foreign bool  // what is read is not as we write it
	err     error // what is written cannot be
}

// fielder is a record that has a list of its fields, in the order of its
// declaration.
type fielder interface{ fields(*codec) }

// Encode is json.Marshal of a record.
func Encode(record any) ([]byte, error) {
	r, ok := fielded(record)
	if !ok {
		return json.Marshal(record)
	}
	c := codec{b: make([]byte, 0, 1024)}
	c.object(r)
	return c.b, c.err
}

// Decode is json.Unmarshal into a record that is its zero value.
func Decode(body []byte, out any) error {
	if r, ok := out.(fielder); ok {
		c := codec{b: bytes.TrimSuffix(body, []byte("\n")), reading: true}
		if c.object(r); !c.foreign && len(c.b) == 0 {
			return nil
		}
		reflect.ValueOf(out).Elem().SetZero()
	}
	return json.Unmarshal(body, out)
}

// object is the value {…} of a list of fields.
func (c *codec) object(r fielder) {
	if c.mark("{") {
		outer := c.between
		c.between = false
		r.fields(c)
		c.mark("}")
		c.between = outer
	}
}

// mark writes s, or reads past it.
func (c *codec) mark(s string) bool {
	if !c.reading {
		c.b = append(c.b, s...)
		return true
	}
	if c.foreign || !bytes.HasPrefix(c.b, []byte(s)) {
		c.foreign = true
		return false
	}
	c.b = c.b[len(s):]
	return true
}

// peek reports whether s is next to be read.
func (c *codec) peek(s string) bool {
	return c.reading && !c.foreign && bytes.HasPrefix(c.b, []byte(s))
}

// comma separates fields and elements.
func (c *codec) comma() {
	if c.between {
		c.mark(",")
	}
	c.between = true
}

// field reports whether the value of a field is to be written, or read, now.
// absent: it is not written, and need not be there.
func (c *codec) field(name string, absent, optional bool) bool {
	if !c.reading {
		if optional && absent {
			return false
		}
		c.comma()
		c.b = append(append(append(c.b, '"'), name...), `":`...)
		return true
	}
	rest := c.b
	if c.between && len(rest) > 0 && rest[0] == ',' {
		rest = rest[1:]
	} else if c.between {
		rest = nil
	}
	n := len(name)
	if len(rest) > n+2 && rest[0] == '"' && string(rest[1:n+1]) == name && rest[n+1] == '"' && rest[n+2] == ':' {
		c.b, c.between = rest[n+3:], true
		return !c.foreign
	}
	c.foreign = c.foreign || !optional
	return false
}

// optional is the last argument of what encoding/json calls omitempty.
const optional = true

func (c *codec) text(name string, p *string, optional bool) {
	if c.field(name, *p == "", optional) {
		c.str(p)
	}
}

func (c *codec) str(p *string) {
	if !c.reading {
		c.quote(*p)
		return
	}
	if !c.mark(`"`) {
		return
	}
	for i, ch := range c.b {
		if ch == '"' {
			*p, c.b = string(c.b[:i]), c.b[i+1:]
			c.foreign = !utf8.ValidString(*p)
			return
		}
		if ch == '\\' {
			c.escaped(p, i)
			return
		}
		if ch < ' ' {
			break
		}
	}
	c.foreign = true
}

// escaped leaves a string with escapes to encoding/json. The first is at i.
func (c *codec) escaped(p *string, i int) {
	for ; i < len(c.b); i++ {
		switch c.b[i] {
		case '\\':
			i++
		case '"':
			token := append([]byte{'"'}, c.b[:i+1]...)
			c.foreign = json.Unmarshal(token, p) != nil
			c.b = c.b[i+1:]
			return
		}
	}
	c.foreign = true
}

// quote writes a string; one that needs more than quotes is left to
// encoding/json.
func (c *codec) quote(s string) {
	for i := range len(s) {
		if ch := s[i]; ch < ' ' || ch >= utf8.RuneSelf || ch == '"' || ch == '\\' || ch == '<' || ch == '>' || ch == '&' || ch == 0x7f {
			c.other(s)
			return
		}
	}
	c.b = append(append(append(c.b, '"'), s...), '"')
}

// other writes a value as encoding/json does.
func (c *codec) other(v any) {
	b, err := json.Marshal(v)
	if err != nil && c.err == nil {
		c.err = err
	}
	c.b = append(c.b, b...)
}

// rare is a value that few records have: encoding/json does it.
func rare[T any](c *codec, name string, p *T, absent bool) {
	if c.field(name, absent, optional) {
		c.foreign = c.reading
		if !c.reading {
			c.other(*p)
		}
	}
}

func (c *codec) flag(name string, p *bool) {
	if c.field(name, !*p, optional) {
		c.boolean(p)
	}
}

func (c *codec) boolean(p *bool) {
	switch {
	case !c.reading:
		c.b = strconv.AppendBool(c.b, *p)
	case c.peek("true"):
		*p = c.mark("true")
	default:
		*p = !c.mark("false")
	}
}

type integer interface{ int | int64 | uint64 }

func number[T integer](c *codec, name string, p *T, optional bool) {
	if c.field(name, *p == 0, optional) {
		digits(c, p)
	}
}

func digits[T integer](c *codec, p *T) {
	if !c.reading {
		if *p < 0 {
			c.b = strconv.AppendInt(c.b, int64(*p), 10)
		} else {
			c.b = strconv.AppendUint(c.b, uint64(*p), 10)
		}
		return
	}
	n := 0
	for n < len(c.b) && ('0' <= c.b[n] && c.b[n] <= '9' || n == 0 && c.b[0] == '-') {
		n++
	}
	s := string(c.b[:n])
	c.b = c.b[n:]
	var back string // as we would write it
	switch p := any(p).(type) {
	case *uint64:
		v, _ := strconv.ParseUint(s, 10, 64)
		*p, back = v, strconv.FormatUint(v, 10)
	case *int64:
		v, _ := strconv.ParseInt(s, 10, 64)
		*p, back = v, strconv.FormatInt(v, 10)
	case *int:
		v, _ := strconv.Atoi(s)
		*p, back = v, strconv.Itoa(v)
	}
	// A fraction or an exponent behind it is no end of a value, which the next
	// mark notices.
	c.foreign = c.foreign || s != back
}

// stamp is a time as time.Time reads and writes itself.
func (c *codec) stamp(name string, p *time.Time) {
	if !c.field(name, false, false) {
		return
	}
	if !c.reading {
		b, err := p.MarshalJSON()
		if err != nil {
			c.other(*p)
		}
		c.b = append(c.b, b...)
		return
	}
	if len(c.b) == 0 || c.b[0] != '"' {
		c.foreign = true
		return
	}
	end := bytes.IndexByte(c.b[1:], '"') + 2
	c.foreign = end < 2 || p.UnmarshalJSON(c.b[:end]) != nil
	if !c.foreign {
		c.b = c.b[end:]
	}
}

// within is an object that is always there.
func within(c *codec, name string, r fielder) {
	if c.field(name, false, false) {
		c.object(r)
	}
}

// pointer is a value that may be null or, where that is optional, absent.
func pointer[T any](c *codec, name string, p **T, optional bool, value func(*codec, *T)) {
	if !c.field(name, *p == nil, optional) {
		return
	}
	switch {
	case !c.reading && *p != nil:
		value(c, *p)
	case !c.reading || c.peek("null"):
		c.mark("null")
	default:
		*p = new(T)
		value(c, *p)
	}
}

// list is an array; a nil one is null.
func list[T any](c *codec, name string, p *[]T, optional bool, value func(*codec, *T)) {
	if !c.field(name, len(*p) == 0, optional) {
		return
	}
	if !c.reading && *p == nil || c.peek("null") {
		c.mark("null")
		return
	}
	c.mark("[")
	outer := c.between
	c.between = false
	if c.reading {
		*p = []T{}
		for !c.foreign && !c.peek("]") {
			c.comma()
			*p = append(*p, *new(T))
			value(c, &(*p)[len(*p)-1])
		}
	} else {
		for i := range *p {
			c.comma()
			value(c, &(*p)[i])
		}
	}
	c.mark("]")
	c.between = outer
}

// inner is the value of an object in an array or behind a pointer.
func inner[T any, P interface {
	*T
	fielder
}](c *codec, p *T) {
	c.object(P(p))
}
