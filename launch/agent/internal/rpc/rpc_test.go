package rpc

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShorten(t *testing.T) {
	small := []byte(`{"a":"x"}`)
	require.Equal(t, small, Shorten(small))
	for name, text := range map[string]string{
		"plain":       strings.Repeat("0123456789", 500<<10),
		"newlines":    strings.Repeat("line\n", 1000<<10),
		"quotes":      strings.Repeat(`"`, 5<<20),
		"backslashes": strings.Repeat(`\`, 5<<20),
		"odd":         "x" + strings.Repeat(`\`, 5<<20),
		"runes":       strings.Repeat("é", 5<<20),
		"controls":    strings.Repeat("\x01", 2<<20),
	} {
		t.Run(name, func(t *testing.T) {
			line, err := json.Marshal(map[string]string{"a": text, "b": `"\`, "c": "short"})
			require.NoError(t, err)
			short := Shorten(line)
			require.Less(t, len(short), 128<<10)
			var got map[string]string
			require.NoError(t, json.Unmarshal(short, &got))
			require.Equal(t, `"\`, got["b"])
			require.Equal(t, "short", got["c"])
			end := got["a"]
			require.True(t, strings.HasSuffix(text, end[len(end)-1000:]))
		})
	}
	broken := append([]byte(`{"a":"`), make([]byte, longLine)...)
	require.Equal(t, broken, Shorten(broken))
}

func TestKey(t *testing.T) {
	for raw, want := range map[string]string{`"init:"`: "init:", `7`: "7", `null`: "", ``: "", `{"a":1}`: `{"a":1}`} {
		require.Equal(t, want, Key(json.RawMessage(raw)))
	}
}

func TestDialects(t *testing.T) {
	acp, codex := Dialect{Version: "2.0"}, Dialect{}
	require.Equal(t, `{"jsonrpc":"2.0","id":"k","method":"m","params":{"a":"<"}}`, string(acp.Request("k", "m", map[string]string{"a": "<"})))
	require.Equal(t, `{"method":"m"}`, string(codex.Notification("m", nil)))
	require.Equal(t, `{"id":0,"result":{"a":true}}`, string(codex.Result(json.RawMessage("0"), map[string]bool{"a": true})))
	require.Equal(t, `{"jsonrpc":"2.0","id":"0","error":{"code":-32601,"message":"not supported: x"}}`, string(acp.Refuse(json.RawMessage(`"0"`), "x")))
}

func TestErrorText(t *testing.T) {
	for raw, want := range map[string]string{
		`null`:                                      "",
		`{"code":3}`:                                "error 3",
		`{"message":"m"}`:                           "m",
		`{"message":"m","data":{"details":"d"}}`:    "m: d",
		`{"message":"m","data":{"message":"m"}}`:    "m",
		`{"message":"m","data":["what","is this"]}`: "m",
	} {
		var e *Error
		require.NoError(t, json.Unmarshal([]byte(raw), &e))
		require.Equal(t, want, e.String())
	}
}
