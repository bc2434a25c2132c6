package inputs_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-runs/agent-runs/supervisor/inputs"
	"github.com/stretchr/testify/require"
)

func outputs() []inputs.Output {
	return []inputs.Output{
		{RunID: "01KJMDZM00AAAAAAAAAAAAAAAA", Task: "build", Text: "built it", Size: 8},
		{RunID: "01KJMDZM00BBBBBBBBBBBBBBBB", Name: "lint", Text: "no {previous} faults", Size: 20},
	}
}

func TestFill(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"nothing {to} do {":              "nothing {to} do {",
		"<{outputs.build}>":              "<built it>",
		"<{outputs.lint}>":               "<no {previous} faults>",
		"{outputs.01kjmdzm00b}":          "no {previous} faults",
		"{previous}":                     "built it\n\nno {previous} faults",
		"{outputs.unknown} {outputs.}":   "{outputs.unknown} {outputs.}",
		"{{outputs.build}}":              "{built it}",
		"{\"a\": {outputs.build}, {b}":   "{\"a\": built it, {b}",
		"{outputs.build}{outputs.build}": "built itbuilt it",
	} {
		require.Equal(t, want, inputs.Fill(text, outputs()), "%q", text)
	}
	require.Equal(t, []string{"echo", "built it"}, inputs.Argv([]string{"echo", "{outputs.build}"}, outputs()))
}

func TestAPromptThatNamesNothingGetsAll(t *testing.T) {
	p := inputs.Prompt("test it", outputs())
	require.True(t, strings.HasSuffix(p, "## Your task\n\ntest it"), "%s", p)
	require.Contains(t, p, "## build\n\nbuilt it\n")
	require.Contains(t, p, "## lint\n\nno {previous} faults\n")
	require.Equal(t, "see built it", inputs.Prompt("see {outputs.build}", outputs()))
	require.Equal(t, "alone", inputs.Prompt("alone", nil))
}

func TestAnOutputIsCutAndSaysWhereTheRestIs(t *testing.T) {
	text := strings.Repeat("ü", inputs.MaxOutput)
	got := inputs.Fill("{previous}", []inputs.Output{{RunID: "01R", Text: text, Size: int64(len(text))}})
	head, rest, _ := strings.Cut(got, "\n")
	require.Equal(t, "[the end of 32768 bytes; the whole: agent-runs logs 01R]", head)
	require.LessOrEqual(t, len(rest), inputs.MaxOutput)
	require.True(t, utf8.ValidString(rest))
}
