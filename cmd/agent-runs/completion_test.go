package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// completed returns what bash offers for the words, the last of which is
// being typed. The program itself is a script that notes its arguments.
func completed(t *testing.T, words ...string) (offered []string, asked string) {
	dir := t.TempDir()
	script, err := completionScripts.ReadFile("completion/bash")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "completion"), script, 0o600))
	program := "#!/bin/sh\nprintf '<%s>' \"$@\" >\"$ASKED\"\nprintf '%s\\n' 'list:list runs' 'logs:show output' '--json:print' 'stop'\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "agent-runs"), []byte(program), 0o700))
	work := t.TempDir()
	c := exec.Command("bash", "--norc", "-c", `source "$0" && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && _agent_runs && printf '%s\n' "${COMPREPLY[@]}"`)
	c.Args = append(append(c.Args, filepath.Join(dir, "completion")), words...)
	c.Dir = work
	c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "ASKED="+filepath.Join(dir, "asked"))
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	made, err := os.ReadDir(work)
	require.NoError(t, err)
	require.Empty(t, made, "something of the line was executed")
	note, _ := os.ReadFile(filepath.Join(dir, "asked")) // absent: the program was not asked
	return strings.Fields(string(out)), string(note)
}

func TestBashCompletionOffersWhatTheProgramSays(t *testing.T) {
	needBash(t)
	offered, asked := completed(t, "agent-runs", "l")
	require.Equal(t, []string{"list", "logs"}, offered)
	require.Equal(t, "<--generate-shell-completion>", asked)
	offered, asked = completed(t, "agent-runs", "list", "--")
	require.Equal(t, []string{"--json"}, offered)
	require.Equal(t, "<list><-><--generate-shell-completion>", asked)
}

func TestBashCompletionExecutesNothing(t *testing.T) {
	needBash(t)
	for _, words := range [][]string{
		{"agent-runs", "inspect", "$(touch x)", ""},
		{"agent-runs", "inspect", "$(touch x)"},
		{"agent-runs", "inspect", "`touch x`", ""},
		{"agent-runs", "list", ">", "x", ""},
		{"agent-runs", "list", ">", "x"},
		{"agent-runs", "list", "2>x", "-"},
		{"agent-runs", "list", "<(touch x)", ""},
		{"agent-runs", "inspect", "'a; touch x'", ""},
		{"agent-runs", "inspect", "a[$(touch x)]", "l"},
		{"agent-runs", "stop", "--", "l"},
		{"$(touch x)", "l"},
		{"agent-runs", "*", "${x:=$(touch x)}", ""},
	} {
		completed(t, words...)
	}
	_, asked := completed(t, "agent-runs", "stop", "--", "l")
	require.Empty(t, asked, "behind -- a program must not be asked")
}

func needBash(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("NOT TESTED: completion, for want of bash")
	}
}
