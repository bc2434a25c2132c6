package claude

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/talktest"
)

// TestStreams: the script's messages have no ids of ours, so they are told by
// their order, and an answer is what the policy says.
func TestStreams(t *testing.T) {
	prepare := func() func(*agent.Fold, string) string {
		prompts := 0
		return func(f *agent.Fold, line string) string {
			if strings.Contains(line, `"request_id":"interrupt"`) {
				f.Said(journal.Said{Key: "interrupt", Kind: string(agent.Interrupt)})
			}
			if strings.Contains(line, `"isReplay":true`) {
				if prompts++; prompts > 1 {
					f.Said(journal.Said{Key: fmt.Sprintf("prompt%d", prompts), Kind: string(agent.Prompt)})
				}
			}
			return strings.Replace(line, `"request_id":"initialize"`, `"request_id":"init:"`, 1)
		}
	}
	talktest.Streams(t, Runtime{}, task(journal.Agent{Permission: journal.PermissionAllow}), "../../../testdata/streams/claude-2.1.332", "testdata/streams", prepare)
}
