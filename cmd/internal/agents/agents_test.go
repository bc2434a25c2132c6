package agents

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/runtimes"
	"github.com/agent-runs/agent-runs/settings"
	"github.com/stretchr/testify/require"
)

// program makes an executable file and what leads to it.
func program(t *testing.T, path string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755))
	return path
}

func packageJSON(t *testing.T, dir, version string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name":"x","version":"`+version+`"}`), 0o644))
}

func link(t *testing.T, to, from string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(from), 0o755))
	require.NoError(t, os.Symlink(to, from))
	return from
}

func TestProgramsAreFoundAsAShellFindsThem(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(one, "pi"), nil, 0o644)) // no program
	require.NoError(t, os.Mkdir(filepath.Join(one, "claude"), 0o755))
	want := program(t, filepath.Join(two, "pi"))
	path := one + "::relative:" + two
	require.Equal(t, want, lookup("pi", path))
	require.Empty(t, lookup("claude", path))
	require.Equal(t, want, lookup(want, ""))

	p, err := Find(runtimes.Of("pi"), path)
	require.NoError(t, err)
	require.Equal(t, Program{Path: want}, p)
	_, err = Find(runtimes.Of("claude"), path)
	require.ErrorContains(t, err, "claude is not installed: there is no claude in PATH")
	require.Equal(t, []string{"pi"}, Installed(path))
}

func TestTheNativeCodexIsFoundBehindItsWrapper(t *testing.T) {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	native := filepath.Join("codex-"+runtime.GOOS+"-"+arch, "vendor", "some-triple", "bin", "codex")
	for _, where := range []string{"beside", "nested", "nowhere"} {
		modules := filepath.Join(t.TempDir(), "a[b]*", "node_modules")
		wrapper := program(t, filepath.Join(modules, "@openai", "codex", "bin", "codex.js"))
		packageJSON(t, filepath.Join(modules, "@openai", "codex"), "0.171.0")
		found := link(t, wrapper, filepath.Join(modules, ".bin", "codex"))
		want := found
		switch where {
		case "beside":
			want = program(t, filepath.Join(modules, "@openai", native))
		case "nested":
			want = program(t, filepath.Join(modules, "@openai", "codex", "node_modules", "@openai", native))
		}
		p, err := Find(runtimes.Of("codex"), filepath.Dir(found))
		require.NoError(t, err)
		require.Equal(t, Program{Path: want, Version: "0.171.0"}, p, where)
	}
	other := program(t, filepath.Join(t.TempDir(), "codex"))
	require.Equal(t, other, executed("codex", other))
}

func TestVersionsComeFromTheNearestPackage(t *testing.T) {
	dir := t.TempDir()
	pkg := filepath.Join(dir, "node_modules", "@scope", "agent")
	file := program(t, filepath.Join(pkg, "dist", "bundle", "cli.js"))
	require.Empty(t, packageVersion(file))
	packageJSON(t, dir, "9.9.9") // of whoever installed it
	require.Empty(t, packageVersion(file))
	packageJSON(t, pkg, "1.6.0")
	require.Equal(t, "1.6.0", packageVersion(link(t, file, filepath.Join(dir, "bin", "agent"))))
	wrapper := filepath.Join(dir, "wrapper")
	for _, line := range []string{`exec "/usr/bin/node" "` + file + `" "$@"`, `exec node  "$basedir/node_modules/@scope/agent/dist/bundle/cli.js" "$@"`} {
		require.NoError(t, os.WriteFile(wrapper, []byte("#!/bin/sh\n"+line+"\n"), 0o755))
		require.Equal(t, "1.6.0", packageVersion(wrapper), line)
	}
	require.Equal(t, "", packageVersion(program(t, filepath.Join(dir, "agent"))))
}

func TestTheCallersKindOfAgentIsChosen(t *testing.T) {
	dir := t.TempDir()
	program(t, filepath.Join(dir, "pi"))
	both := t.TempDir()
	program(t, filepath.Join(both, "pi"))
	program(t, filepath.Join(both, "claude"))
	for _, x := range []struct {
		env         map[string]string
		want, error string
	}{
		{map[string]string{"SET": "claude", "PATH": both}, "claude", ""},
		{map[string]string{"SET": "claude", "AGENT_RUNS_RUNTIME": "pi"}, "pi", ""},
		{map[string]string{"SET": "claude", "GEMINI_CLI": "1"}, "gemini", ""},
		{map[string]string{"CLAUDECODE": "1", "AGENT_RUNS_RUNTIME": "pi"}, "claude", ""},
		{map[string]string{"PI_CODING_AGENT": "true"}, "pi", ""},
		{map[string]string{"PI_SESSION_ID": "x"}, "pi", ""},
		{map[string]string{"CODEX_THREAD_ID": "x"}, "codex", ""},
		{map[string]string{"GEMINI_CLI": "1"}, "gemini", ""},
		{map[string]string{"OPENCODE": "1"}, "opencode", ""},
		{map[string]string{"AGENT_RUNS_RUNTIME": "acp:x", "PATH": both}, "acp:x", ""},
		{map[string]string{"AGENT_RUNS_RUNTIME": "x"}, "", `AGENT_RUNS_RUNTIME "x" is none`},
		{map[string]string{"PATH": dir}, "pi", ""},
		{map[string]string{"PATH": both}, "", "which agent? Installed are pi, claude"},
		{map[string]string{}, "", "no agent is installed"},
	} {
		r, err := Choose(func(name string) string { return x.env[name] }, settings.Setting{Value: settings.Value{Text: x.env["SET"]}}, x.env["PATH"])
		if x.error != "" {
			require.ErrorContains(t, err, x.error)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, x.want, r.Name())
	}
}

// TestEveryRuntimeCanBeSet: the settings know the names, but not the runtimes.
func TestEveryRuntimeCanBeSet(t *testing.T) {
	k, ok := settings.Find(settings.KeyRuntime)
	require.True(t, ok)
	require.Equal(t, strings.Join(Names()[:len(Names())-1], ", ")+" and acp:CMD are accepted", k.Accepts())
	for _, name := range append(Names(), "acp:x --acp") {
		v, err := k.Parse(name)
		require.NoError(t, err)
		require.Equal(t, name, v.Text)
	}
}

func TestALaunchIsEquipped(t *testing.T) {
	bin := t.TempDir()
	path := program(t, filepath.Join(bin, "pi"))
	const prompt = "--a prompt that is in no argument"
	l := &journal.Launch{ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", Cwd: "/", Context: journal.ContextFresh, Agent: &journal.Agent{Prompt: prompt, Permission: journal.PermissionDeny}}
	env, err := Equip(l, runtimes.Of("pi"), []string{"PATH=" + bin})
	require.NoError(t, err)
	require.Equal(t, "pi", l.Program.Runtime)
	require.Equal(t, path, l.Program.Argv[0])
	require.Equal(t, "open", l.Stdin.Mode)
	require.NotContains(t, l.Program.Argv, prompt)
	require.Contains(t, env, "PATH="+bin)
	_, err = Equip(l, runtimes.Of("pi"), []string{"PATH=/nowhere"})
	require.ErrorContains(t, err, "pi is not installed")
}

func TestWhatTheCallerSetStays(t *testing.T) {
	require.Equal(t, []string{"A=", "B=2", "C=3"}, withDefaults([]string{"A=", "B=2"}, []string{"A=1", "C=3"}))
}

// TestNoRuntimePutsThePromptIntoItsArguments: everybody can read those.
func TestNoRuntimePutsThePromptIntoItsArguments(t *testing.T) {
	for _, r := range append(runtimes.All(), runtimes.Of("acp:some agent")) {
		const prompt = "a secret prompt"
		call, err := r.Command(agent.Task{RunID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", Cwd: "/", Context: journal.ContextFresh, Agent: journal.Agent{Prompt: prompt, Permission: journal.PermissionDeny}})
		require.NoError(t, err, r.Name())
		for _, a := range append(call.Args, call.Env...) {
			require.NotContains(t, a, prompt, r.Name())
		}
	}
}
