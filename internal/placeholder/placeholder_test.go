package placeholder_test

import (
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/internal/placeholder"
	"github.com/stretchr/testify/require"
)

func TestReplace(t *testing.T) {
	with := func(r placeholder.Ref) string {
		if r.ID == "" {
			return "<all>"
		}
		return "<" + r.ID + ">"
	}
	for text, want := range map[string]string{
		"":                               "",
		"nothing here":                   "nothing here",
		"{previous}":                     "<all>",
		"a {previous} b {previous}":      "a <all> b <all>",
		"{outputs.build}!":               "<build>!",
		"{outputs.a.b-c_1}{outputs.x}":   "<a.b-c_1><x>",
		"{{previous}}":                   "{<all>}",
		"awk '{print}' {outputs.x":       "awk '{print}' {outputs.x",
		"{outputs.}":                     "{outputs.}",
		"{outputs.a b} { previous }":     "{outputs.a b} { previous }",
		"{outputs.{outputs.x}":           "{outputs.<x>",
		"{Previous} {output.x} {outputs": "{Previous} {output.x} {outputs",
	} {
		require.Equal(t, want, placeholder.Replace(text, with), text)
	}
}

func TestWhatIsPutInPlaceIsNotLookedAtAgain(t *testing.T) {
	require.Equal(t, "{previous} {outputs.x}", placeholder.Replace("{previous}", func(placeholder.Ref) string { return "{previous} {outputs.x}" }))
}

func TestRefs(t *testing.T) {
	require.Equal(t, []placeholder.Ref{{}, {ID: "x"}, {}}, placeholder.Refs("{previous}{outputs.x} {previous}"))
	require.Empty(t, placeholder.Refs("{}"))
}

func FuzzReplace(f *testing.F) {
	for _, s := range []string{"{previous}", "{outputs.a}", "{{outputs.a}", "{outputs."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		same := placeholder.Replace(text, placeholder.Ref.String)
		require.Equal(t, text, same)
		for _, r := range placeholder.Refs(text) {
			require.True(t, strings.Contains(text, r.String()))
		}
	})
}
