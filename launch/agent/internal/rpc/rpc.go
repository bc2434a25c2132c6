// Package rpc writes the lines of the JSON-RPC 2.0 dialects that agents speak
// over their stdin.
//
// Reading is each talk's own business: one struct holds all that may stand in
// a line, so that a line is decoded once. With a json.RawMessage in between, a
// line of 100 MB would be scanned four times.
package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// MethodNotFound is the code of an answer to a request that we do not serve.
const MethodNotFound = -32601

// Dialect is one way of writing it.
type Dialect struct {
	Version string // of the jsonrpc member; empty: there is none
}

// Error is what the other side says went wrong.
type Error struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

type message struct {
	Version string `json:"jsonrpc,omitempty"`
	ID      any    `json:"id,omitempty"`
	Method  string `json:"method,omitempty"`
	Params  any    `json:"params,omitempty"`
	Result  any    `json:"result,omitempty"`
	Error   *Error `json:"error,omitempty"`
}

// Request asks for something. The key comes back in the answer.
func (d Dialect) Request(key, method string, params any) []byte {
	return line(message{Version: d.Version, ID: key, Method: method, Params: params})
}

// Notification tells something that is not answered.
func (d Dialect) Notification(method string, params any) []byte {
	return line(message{Version: d.Version, Method: method, Params: params})
}

// Result answers a request of theirs, whose id keeps its JSON type.
func (d Dialect) Result(id json.RawMessage, result any) []byte {
	return line(message{Version: d.Version, ID: id, Result: result})
}

// Refuse answers a request of theirs that we do not serve.
func (d Dialect) Refuse(id json.RawMessage, method string) []byte {
	return line(message{Version: d.Version, ID: id, Error: &Error{Code: MethodNotFound, Message: "not supported: " + method}})
}

// Key is an id as a string: what a text says, and a number as it is written.
// It is empty where there is no id.
func Key(id json.RawMessage) string {
	var text string
	if json.Unmarshal(id, &text) == nil {
		return text // null leaves it empty
	}
	return string(id)
}

// Decode reads a line of theirs, shortened where it is very long. A field that
// we misunderstand leaves the others right; false is what is no JSON at all.
func Decode(raw []byte, into any) bool {
	err := json.Unmarshal(Shorten(raw), into)
	var kind *json.UnmarshalTypeError
	return err == nil || errors.As(err, &kind)
}

// line encodes a message of ours. All values are ours or were decoded before,
// so there is nothing that could not be encoded.
func line(m message) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		panic(fmt.Sprintf("rpc: encode %T: %v", m, err))
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// String is the error for a person.
func (e *Error) String() string {
	if e == nil {
		return ""
	}
	var detail struct {
		Details string `json:"details"`
		Message string `json:"message"`
	}
	text := e.Message
	if json.Unmarshal(e.Data, &detail) == nil {
		for _, more := range []string{detail.Details, detail.Message} {
			if more != "" && more != text {
				text += ": " + more
			}
		}
	}
	if text == "" {
		text = fmt.Sprintf("error %d", e.Code)
	}
	return text
}
