package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience bounds every wait of the tests; what they wait for takes
// milliseconds on an idle machine.
const testPatience = 20 * time.Second

// eventually asks until ok reports true.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testPatience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", testPatience, what)
		}
	}
}

var tags atomic.Int64

// newTag makes a duration for sleep(1) that no other process sleeps: the one
// mark that survives setsid, double forks and an empty environment. It is ten
// minutes, so that what a killed test leaves does not stay.
func newTag() string { return fmt.Sprintf("600.%08d%04d", os.Getpid(), tags.Add(1)) }

// tagged lists the processes whose command line holds tag.
func tagged(tag string) []stat {
	var list []stat
	for _, st := range allProcesses() {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(st.pid) + "/cmdline")
		if err == nil && strings.Contains(string(b), tag) && st.live() {
			list = append(list, st)
		}
	}
	return list
}

// sweep ends what a failed test may have left.
func sweep(t testing.TB, tag string) {
	t.Cleanup(func() {
		for _, st := range tagged(tag) {
			st.signal(9)
		}
	})
}

// program writes an executable file.
func program(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	return path
}

// roomy is a directory that every user may enter, unlike t.TempDir's.
func roomy(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "launch-test-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}
