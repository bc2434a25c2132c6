package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/unix"
)

// ending is what inspect --json says of one, as far as it matters here.
type ending struct {
	Status, Cause string
	Exit          struct {
		Code, Signal *int
		SignalName   string
		Observed     string
		Tree         string
	}
}

// TestEveryExitCode holds all of them apart, and from signals: 137 is no KILL.
func TestEveryExitCode(t *testing.T) {
	var codes []int
	for code := range 256 {
		codes = append(codes, code)
	}
	forEach(t, codes, func(t *testing.T, h home, code int) {
		e, ours := h.endingOf(t, "exit", code)
		if code == 0 {
			assert.Equal(t, []any{0, "completed", ""}, []any{ours, e.Status, e.Cause})
		} else {
			assert.Equal(t, []any{1, "failed", "exit"}, []any{ours, e.Status, e.Cause}, code)
		}
		assert.Nil(t, e.Exit.Signal, code)
		if assert.NotNil(t, e.Exit.Code, code) {
			assert.Equal(t, code, *e.Exit.Code)
		}
		assert.Equal(t, []string{"waited", "empty"}, []string{e.Exit.Observed, e.Exit.Tree}, code)
	})
}

// TestEveryFatalSignal holds all of them apart, and from exit codes.
func TestEveryFatalSignal(t *testing.T) {
	harmless := map[syscall.Signal]bool{syscall.SIGCHLD: true, syscall.SIGCONT: true, syscall.SIGSTOP: true, syscall.SIGTSTP: true,
		syscall.SIGTTIN: true, syscall.SIGTTOU: true, syscall.SIGURG: true, syscall.SIGWINCH: true}
	var fatal []int
	for n := 1; n <= 64; n++ {
		if !harmless[syscall.Signal(n)] {
			fatal = append(fatal, n)
		}
	}
	forEach(t, fatal, func(t *testing.T, h home, n int) {
		e, ours := h.endingOf(t, "signal", n)
		assert.Equal(t, []any{1, "failed", "signal"}, []any{ours, e.Status, e.Cause}, n)
		assert.Nil(t, e.Exit.Code, n)
		if assert.NotNil(t, e.Exit.Signal, n) {
			assert.Equal(t, n, *e.Exit.Signal)
		}
		assert.Equal(t, unix.SignalName(syscall.Signal(n)), e.Exit.SignalName)
		assert.Equal(t, []string{"waited", "empty"}, []string{e.Exit.Observed, e.Exit.Tree}, n)
	})
}

// atOnce is how many callers the tables run at the same time.
const atOnce = 8

// forEach runs check with every number, some at the same time, in one home.
func forEach(t *testing.T, numbers []int, check func(*testing.T, home, int)) {
	t.Parallel()
	h := newHome(t)
	todo := make(chan int)
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for n := range todo {
				check(t, h, n)
			}
		})
	}
	for _, n := range numbers {
		todo <- n
	}
	close(todo)
	wg.Wait()
}

// home is a home outside of any script.
type home struct{ dir string }

func newHome(t *testing.T) home {
	work := t.TempDir()
	t.Cleanup(func() {
		defer killAll(work)
		if complaints := leftBehind(work); len(complaints) > 0 {
			t.Errorf("left behind:\n%s\nsupervisor.log:\n%s", lines(complaints), logs(work))
		}
	})
	return home{filepath.Join(work, "home")}
}

// endingOf lets the zoo end in its way and returns what is said of it, and
// the exit code of delegate.
func (h home) endingOf(t *testing.T, habit string, n int) (e ending, code int) {
	c := exec.Command("delegate", "--wait", "--json", "--", "zoo", habit, strconv.Itoa(n))
	c.Env = append(os.Environ(), "AGENT_RUNS_HOME="+h.dir, "AGENT_RUNS_LINGER=500ms", "HOME="+filepath.Dir(h.dir), "XDG_CONFIG_HOME=")
	out, err := c.Output()
	var end *exec.ExitError
	if errors.As(err, &end) {
		code = end.ExitCode()
		err = nil
	}
	if assert.NoError(t, err) && assert.NoError(t, json.Unmarshal(out, &e), fmt.Sprintf("%s %d: %s", habit, n, out)) {
		return e, code
	}
	return e, -1
}
