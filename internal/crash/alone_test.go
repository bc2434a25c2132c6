//go:build linux

package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// TestNobodyHasToAsk: work of many short steps goes on to its end though its
// supervisor is killed again and again, also between two steps, when no child
// and so no shim of one is there, and nobody gives a command or waits (P5).
func TestNobodyHasToAsk(t *testing.T) {
	for name, begin := range map[string]func(p *place) string{
		"plan": func(p *place) string {
			type task struct {
				ID      string   `json:"id"`
				Needs   []string `json:"needs,omitempty"`
				Command []string `json:"command"`
			}
			tasks := []task{{ID: "t0", Command: []string{"true"}}}
			for i := 1; i < 12; i++ {
				tasks = append(tasks, task{fmt.Sprint("t", i), []string{fmt.Sprint("t", i-1)}, []string{"true"}})
			}
			body, err := json.Marshal(map[string]any{"tasks": tasks})
			if err == nil {
				err = os.WriteFile(filepath.Join(p.dir, "chain.json"), body, 0o600)
			}
			if err != nil {
				p.t.Fatal(err)
			}
			return p.begun(p.start(program("delegate"), "-q", "--plan", "chain.json"))
		},
		"checks": func(p *place) string {
			var checks []string
			for range 5 {
				checks = append(checks, "--verify", "true")
			}
			return p.begun(p.delegate(checks, "true"))
		},
		"queue": func(p *place) string {
			var last string
			for range 10 {
				last = p.begun(p.delegate([]string{"--queued"}, "true"))
			}
			return last
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 6 {
				p := newPlace(t)
				p.ordinary()
				last := begin(p)
				time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) // wherever it stands then
				p.kill(p.withRole("supervisor"))
				until(t, "the work comes to its end by itself", func() bool {
					return there(p.home.File(last, journal.ResultFile))
				})
			}
		})
	}
}

func (p *place) begun(c *call) string {
	p.t.Helper()
	if code := c.wait(); code != 0 {
		p.t.Fatalf("delegate: exit code %d: %s", code, c.err.String())
	}
	return c.id()
}
