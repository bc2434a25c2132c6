package main

import (
	"errors"
	"os"
	"testing"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

// parsed returns what a command line asks for, without doing it.
func parsed(t *testing.T, words ...string) (r *request, err error) {
	t.Helper()
	t.Setenv("HOME", t.TempDir()) // no settings of ours
	t.Setenv("XDG_CONFIG_HOME", "")
	c, err := read(words)
	if err != nil {
		return nil, err
	}
	return parse(c)
}

func TestWhatIsBehindTheDashesIsACommand(t *testing.T) {
	for _, words := range [][]string{
		{"--", "echo", "hi"},
		{"--name", "x", "--", "echo", "hi"},
		{"--wait", "--", "echo", "hi"},
		{"-q", "--env", "K=V", "--name=x", "--", "echo", "hi"},
		{"--name", "--", "--", "echo", "hi"}, // the first is a name
	} {
		r, err := parsed(t, words...)
		require.NoError(t, err, "%q", words)
		require.Nil(t, r.agent, "%q", words)
		require.Equal(t, []string{"echo", "hi"}, r.argv, "%q", words)
	}
	r, err := parsed(t, "--", "grep", "--", "-x", "file")
	require.NoError(t, err)
	require.Equal(t, []string{"grep", "--", "-x", "file"}, r.argv)
}

func TestOneWordIsAPrompt(t *testing.T) {
	for want, words := range map[string][]string{
		"fix it":       {"fix it"},
		"do this":      {"--wait", "do this", "--name", "x"},
		"- a list":     {"--prompt", "- a list"},
		"--":           {"--prompt", "--"},
		"-5 is wrong":  {"-5 is wrong"},
		"from stdin\n": {"-"},
		"$(x) 'q' \\":  {"$(x) 'q' \\"},
	} {
		stdin(t, "from stdin\n")
		r, err := parsed(t, words...)
		require.NoError(t, err, "%q", words)
		require.NotNil(t, r.agent, "%q", words)
		require.Equal(t, want, r.agent.Prompt)
		require.Empty(t, r.argv)
	}
}

// stdin lets this process read a text there.
func stdin(t *testing.T, text string) {
	path := t.TempDir() + "/stdin"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	old := os.Stdin
	os.Stdin = f
	t.Cleanup(func() { os.Stdin = old; f.Close() })
}

func TestWhatAnAgentGets(t *testing.T) {
	r, err := parsed(t, "work")
	require.NoError(t, err)
	require.Equal(t, journal.Agent{Prompt: "work", Permission: journal.PermissionDeny}, r.agent.Agent)
	require.Equal(t, journal.Limits{MaxDurationMS: 1_800_000, MaxQueueWaitMS: 900_000, GraceMS: 5_000, StartupMS: 60_000, IdleMS: 600_000, MaxTurns: 30, ReservedTurns: 2}, r.limits)
	r, err = parsed(t, "--wait", "work")
	require.NoError(t, err)
	require.Zero(t, r.limits.MaxQueueWaitMS, "who waits for a run is blocked and does not queue")

	r, err = parsed(t, "--runtime", "acp:my agent --acp", "--model", "p/m", "--thinking", "high", "--system-prompt", "be\nbrief", "--tools", "a, b,c",
		"--permission", "acceptEdits", "--context", "fork:s:1", "--max-turns", "2", "--max-tokens", "500", "--max-cost", "$0.5",
		"--startup-timeout", "5s", "--idle-timeout", "1h", "--max-duration", "1d", "--grace", "0s", "work")
	require.NoError(t, err)
	require.Equal(t, "acp:my agent --acp", r.agent.runtime)
	require.Equal(t, "s:1", r.agent.fork)
	require.Equal(t, journal.Agent{Prompt: "work", Model: "p/m", Thinking: "high", SystemPrompt: "be\nbrief", Tools: []string{"a", "b", "c"}, Permission: "acceptEdits"}, r.agent.Agent)
	require.Equal(t, journal.Limits{MaxDurationMS: 86_400_000, MaxQueueWaitMS: 900_000, StartupMS: 5_000, IdleMS: 3_600_000, MaxTurns: 2, ReservedTurns: 1, MaxTokens: 500, MaxCostUSD: 0.5}, r.limits)

	r, err = parsed(t, "--", "true")
	require.NoError(t, err)
	require.Equal(t, journal.Limits{GraceMS: 5_000}, r.limits, "a command has no limits of an agent")
}

func TestBadRequestsAreRefusedByName(t *testing.T) {
	for _, x := range []struct {
		says  string
		words []string
	}{
		{"nothing to do", nil},
		{"no command to run", []string{"--"}},
		{`a prompt is one argument, but there are 2 words, beginning with "echo"`, []string{"echo", "hi"}},
		{"two prompts", []string{"--prompt", "a", "b"}},
		{"--prompt is for agents", []string{"--prompt", "a", "--", "b"}},
		{"--model is for agents", []string{"--model", "m", "--", "b"}},
		{"--idle-timeout is for agents", []string{"--idle-timeout", "1s", "--", "b"}},
		{"--stdin is for commands", []string{"--stdin", "open", "a"}},
		{"the prompt is empty", []string{" \n"}},
		{"--prompt is empty", []string{"--prompt", ""}},
		{"not valid UTF-8", []string{"a\xff"}},
		{`--runtime "klingon" is none`, []string{"--runtime", "klingon", "a"}},
		{`--runtime "acp:" is none`, []string{"--runtime", "acp:", "a"}},
		{"--runtime is empty", []string{"--runtime", "", "a"}},
		{"--model is empty", []string{"--model", "", "a"}},
		{"--permission is empty", []string{"--permission", "", "a"}},
		{"--system-prompt is empty", []string{"--system-prompt", "", "a"}},
		{"a name in --tools is empty", []string{"--tools", "a,,b", "a"}},
		{`--tools names "a" twice`, []string{"--tools", "a,a", "a"}},
		{`--context "old" is none`, []string{"--context", "old", "a"}},
		{`--context "fork:" is none`, []string{"--context", "fork:", "a"}},
		{`--max-turns "0" is none`, []string{"--max-turns", "0", "a"}},
		{`--max-turns "-1" is none`, []string{"--max-turns", "-1", "a"}},
		{`--max-turns "many" is none`, []string{"--max-turns", "many", "a"}},
		{`--max-tokens "0" is none`, []string{"--max-tokens", "0", "a"}},
		{`--max-cost "0" is no amount`, []string{"--max-cost", "0", "a"}},
		{`--max-cost "NaN" is no amount`, []string{"--max-cost", "NaN", "a"}},
		{`--max-cost "inf" is no amount`, []string{"--max-cost", "inf", "a"}},
		{"--idle-timeout 0s is out of range", []string{"--idle-timeout", "0s", "a"}},
		{"--startup-timeout", []string{"--startup-timeout", "soon", "a"}},
	} {
		_, err := parsed(t, x.words...)
		var e *cli.Error
		require.True(t, errors.As(err, &e), "%q: %v", x.words, err)
		require.Equal(t, cli.Usage, e.Code)
		require.Contains(t, e.Msg, x.says, "%q", x.words)
	}
}

func TestSeveralWordsAreToldBothWays(t *testing.T) {
	_, err := parsed(t, "--name", "x", "fix", "the", "test's", "bug")
	var e *cli.Error
	require.True(t, errors.As(err, &e))
	require.Equal(t, `delegate 'fix the test'\''s bug' for an agent, or delegate -- fix the 'test'\''s' bug for a command`, e.Try)
}
