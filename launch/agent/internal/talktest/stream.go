package talktest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/stretchr/testify/require"
)

// Streams folds every raw recording in a directory, and compares what came of
// it with the file of the same name in golden. Those were driven by a script
// and not by our talks: prepare makes a line what it would have been, and says
// what the script said before it.
func Streams(t *testing.T, r agent.Runtime, task agent.Task, dir, golden string, prepare func() func(*agent.Fold, string) string) {
	all, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	require.NoError(t, err)
	for _, path := range all {
		if strings.HasSuffix(path, ".in.jsonl") {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			var out bytes.Buffer
			f := agent.NewFold(r, task, func(e agent.Event) { describe(&out, e) })
			before := prepare()
			for line := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
				due(f)
				_, err := f.Write([]byte(before(f, line) + "\n"))
				require.NoError(t, err)
			}
			due(f)
			compare(t, filepath.Join(golden, name+".golden"), out.String()+conclude(f))
		})
	}
}

func due(f *agent.Fold) {
	for _, m := range f.Due() {
		f.Said(journal.Said{Key: m.Key, Kind: string(m.Kind), Question: m.Question, Answer: m.Answer})
	}
}
