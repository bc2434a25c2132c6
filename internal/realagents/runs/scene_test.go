package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/internal/modelserver"
	"github.com/agent-runs/agent-runs/internal/realagents"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

// patience is how long anything may take on a busy machine before it counts as never.
const patience = 90 * time.Second

// installed is one agent with a home of its own and a model behind it.
type installed struct {
	name    string
	version string
	env     []string
	server  *modelserver.Server
}

func install(t *testing.T, name string) *installed {
	s, err := modelserver.Start()
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	env, err := realagents.Setup(t.TempDir(), s.URL(), name)
	require.NoError(t, err)
	version, err := realagents.Version(name, env)
	require.NoError(t, err)
	return &installed{name, version, env, s}
}

// scene is a home for runs and a folder to work in.
type scene struct {
	*testing.T
	agent  *installed
	home   journal.Home
	cwd    string
	linger string // how long a supervisor without runs stays
}

func (a *installed) scene(t *testing.T) *scene {
	s := &scene{T: t, agent: a, home: journal.Home{Dir: filepath.Join(t.TempDir(), "runs")}, cwd: t.TempDir(), linger: "500ms"}
	t.Cleanup(s.leave)
	return s
}

// leave ends the supervisor, so that nobody writes where the test's folder is removed. Of a failed test it tells what
// there was, and ends what is left.
func (s *scene) leave() {
	defer s.try("agent-runs", "supervisor", "stop")
	if !s.Failed() {
		return
	}
	if b, err := os.ReadFile(filepath.Join(s.home.Dir, "supervisor.log")); err == nil {
		s.Logf("supervisor.log:\n%s", b)
	}
	for _, id := range strings.Fields(s.try("agent-runs", "list", "-q").stdout) {
		s.Logf("%s", s.try("agent-runs", "inspect", id).stdout)
		s.try("agent-runs", "stop", "--force", "--grace", "1s", id)
	}
}

type ran struct {
	stdout, stderr string
	code           int
}

func (s *scene) command(ctx context.Context, words ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, filepath.Join(bin, words[0]), words[1:]...)
	c.Dir, c.WaitDelay = s.cwd, time.Second
	c.Env = append(slices.Clone(s.agent.env), "AGENT_RUNS_HOME="+s.home.Dir, "AGENT_RUNS_LINGER="+s.linger)
	return c
}

// try runs one of the commands to its end.
func (s *scene) try(words ...string) ran {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	var out, errs bytes.Buffer
	c := s.command(ctx, words...)
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	code := c.ProcessState.ExitCode()
	if e := (*exec.ExitError)(nil); err != nil && !errors.As(err, &e) {
		code = -1
	}
	return ran{strings.TrimSpace(out.String()), errs.String(), code}
}

// do is try for what must exit with 0.
func (s *scene) do(words ...string) string {
	s.Helper()
	r := s.try(words...)
	require.Zero(s, r.code, "%q: %s", words, r.stderr)
	return r.stdout
}

// delegate starts a run of the agent and returns its id.
func (s *scene) delegate(words ...string) string {
	s.Helper()
	all := []string{"delegate", "-q", "--runtime", s.agent.name, "--startup-timeout", "2m"}
	if s.agent.name == realagents.Gemini {
		all = append(all, "--model", realagents.GeminiModel)
	}
	if !slices.Contains(words, "--permission") {
		all = append(all, "--permission", "allow")
	}
	return s.do(append(all, words...)...)
}

// view is the part of inspect --json that the tests look at.
type view struct {
	ID, Phase, Status, Cause, Predecessor, FinalText string
	Process                                          *journal.Process
	Exit                                             *journal.Exit
	Result                                           *journal.Result
	Conversation                                     *journal.Conversation
	Usage                                            *journal.Usage
}

func (s *scene) inspect(id string) (v view) {
	s.Helper()
	require.NoError(s, json.Unmarshal([]byte(s.do("agent-runs", "inspect", id, "--json")), &v))
	return v
}

// over waits for the end of a run.
func (s *scene) over(id string) view {
	s.Helper()
	s.try("agent-runs", "wait", "--timeout", patience.String(), id)
	v := s.inspect(id)
	require.NotNil(s, v.Result, "it did not end: %+v", v)
	return v
}

// completes waits for an end that must be a good one.
func (s *scene) completes(id string) view {
	s.Helper()
	v := s.over(id)
	require.Equal(s, "completed", v.Status, "%s: %s", v.Cause, v.Result.Error)
	require.Equal(s, journal.TreeEmpty, v.Exit.Tree)
	return v
}

// until polls, because what it waits for is seen in files only.
func (s *scene) until(what string, met func() bool) {
	s.Helper()
	for end := time.Now().Add(patience); !met(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("never: %s", what)
		}
	}
}

// tool is a script for the agent's shell. Some agents refuse command lines with more than words in them.
func (s *scene) tool(text string) (prompt string) {
	s.Helper()
	require.NoError(s, os.WriteFile(filepath.Join(s.cwd, "tool.sh"), []byte(text), 0o755))
	return "do it [[bash:sh tool.sh]]"
}

// held is a tool that works until release. While it works the file "pid" names it.
const held = "echo $$ >pid.new && mv pid.new pid\nwhile [ ! -e go ]; do sleep 0.05; done\necho tool done\n"

func (s *scene) release() {
	require.NoError(s, os.WriteFile(filepath.Join(s.cwd, "go"), nil, 0o644))
}

// midTool starts a run and returns when its tool is at work.
func (s *scene) midTool(words ...string) view {
	s.Helper()
	id := s.delegate(append(words, s.tool(held))...)
	s.until("the tool works", s.exists("pid"))
	return s.inspect(id)
}

func (s *scene) exists(name string) func() bool {
	return func() bool {
		_, err := os.Stat(filepath.Join(s.cwd, name))
		return err == nil
	}
}

// pid is the process that a tool wrote down.
func (s *scene) pid(name string) (pid int) {
	b, err := os.ReadFile(filepath.Join(s.cwd, name))
	require.NoError(s, err)
	_, err = fmt.Sscan(string(b), &pid)
	require.NoError(s, err)
	return pid
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// said lists the messages of one kind that were given to the agent.
func (s *scene) said(id, kind string) (list []journal.Said) {
	b, err := os.ReadFile(filepath.Join(s.home.Run(id), "said.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(s, err)
	for _, line := range bytes.Split(b, []byte("\n")) {
		var m journal.Said
		if json.Unmarshal(line, &m) == nil && m.Kind == kind {
			list = append(list, m)
		}
	}
	return list
}
