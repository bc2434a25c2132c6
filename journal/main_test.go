package journal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
)

// roleRacer makes the test binary one of many processes that want to write
// the same records.
const roleRacer = "JOURNAL_TEST_RACER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(roleRacer); dir != "" {
		os.Exit(race(dir))
	}
	os.Exit(m.Run())
}

// race waits at the start line, then wants every record, and prints the ones
// it won.
func race(dir string) int {
	fmt.Println("ready")
	var one [1]byte
	os.Stdin.Read(one[:])
	for i := range racedRecords {
		switch err := journal.WriteOnce(filepath.Join(dir, fmt.Sprintf("r%d.json", i)), journal.Stop{Version: 1, GraceMS: int64(os.Getpid())}); {
		case err == nil:
			fmt.Println(i)
		case !errors.Is(err, journal.ErrExists):
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}
