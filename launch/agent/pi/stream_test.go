package pi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/talktest"
)

// TestStreams: the script's ids are words; a second prompt has the same one.
func TestStreams(t *testing.T) {
	prepare := func() func(*agent.Fold, string) string {
		prompts := 0
		return func(f *agent.Fold, line string) string {
			if !strings.Contains(line, `"type":"response"`) {
				return line
			}
			say := func(key string, kind agent.Kind) { f.Said(journal.Said{Key: key, Kind: string(kind)}) }
			switch {
			case strings.Contains(line, `"id":"state"`):
				return strings.Replace(line, `"id":"state"`, `"id":"init:"`, 1)
			case strings.Contains(line, `"id":"prompt"`):
				key := "prompt:first"
				if prompts++; prompts > 1 {
					key = fmt.Sprintf("prompt%d", prompts)
					say(key, agent.Prompt)
				}
				return strings.Replace(line, `"id":"prompt"`, fmt.Sprintf("%q:%q", "id", key), 1)
			case strings.Contains(line, `"id":"steer"`):
				say("steer", agent.Steer)
			case strings.Contains(line, `"id":"follow_up"`):
				say("follow_up", agent.Steer)
			case strings.Contains(line, `"id":"abort"`):
				say("abort", agent.Interrupt)
			}
			return line
		}
	}
	talktest.Streams(t, Runtime{}, task(journal.Agent{Version: "1.6.0"}), "../../../testdata/streams/pi-1.6.0", "testdata/streams", prepare)
}
