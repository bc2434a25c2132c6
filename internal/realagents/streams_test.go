package realagents

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// machine matches what would tie a recording to the machine that made it.
var machine = regexp.MustCompile(`/record-\d|/root/|"/tmp/|\.cache/agents|127\.0\.0\.1:(?:[^8]|8[^0])`)

// TestRecordingsAreSmallAndStable keeps the golden streams fit for the repository.
func TestRecordingsAreSmallAndStable(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "testdata", "streams", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings, %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(file, root)
		if len(b) > 60_000 {
			t.Errorf("%s has %d bytes", name, len(b))
		}
		if m := machine.Find(b); m != nil {
			t.Errorf("%s says %q", name, m)
		}
		if len(b) == 0 && strings.HasSuffix(file, ".in.jsonl") {
			continue // A one-shot run is sent nothing.
		}
		if !bytes.HasSuffix(b, []byte("\n")) {
			t.Errorf("%s does not end with a line", name)
		}
	}
}
