package realagents

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/internal/modelserver"
)

// oneShot are the simplest calls of each agent: they show that its home leads to the server.
var oneShot = map[string][]string{
	Pi:       {"-p", "--no-session", "--provider", "scripted", "--model", Model},
	Claude:   {"-p"},
	Codex:    {"exec", "--skip-git-repo-check"},
	Gemini:   {"-m", GeminiModel, "-p"},
	OpenCode: {"run"},
}

// TestHomesLeadToTheServer runs each installed agent once. Without agents there is nothing to run; the suite that
// must have them says so itself.
func TestHomesLeadToTheServer(t *testing.T) {
	for _, agent := range All() {
		t.Run(agent, func(t *testing.T) {
			path, err := Program(agent)
			if err != nil {
				t.Skipf("SKIPPED %v", err)
			}
			s, err := modelserver.Start()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			env, err := Setup(t.TempDir(), s.URL(), agent)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(path, append(oneShot[agent], "hello [[say:the server]]")...)
			cmd.Env, cmd.Dir, cmd.WaitDelay = env, t.TempDir(), time.Second
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "SAID the server") {
				t.Errorf("%v: %s", err, out)
			}
			for _, q := range s.Requests() {
				t.Logf("%s %s users=%d %s", q.Protocol, q.Model, len(q.Users()), q.Reply)
			}
		})
	}
}

func TestUnknownAgent(t *testing.T) {
	if _, err := Setup(t.TempDir(), "http://127.0.0.1:1", "nobody"); err == nil {
		t.Error("no error")
	}
}
