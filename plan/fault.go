package plan

import (
	"fmt"
	"strings"

	"github.com/agent-runs/agent-runs/internal/nearest"
)

// Fault is one thing that is wrong with a plan. Line is 0 where the whole file
// is meant, Task is "" where no task is.
type Fault struct {
	Line int
	Task string
	Text string
}

// String is the fault in one line.
func (f Fault) String() string {
	s := f.Text
	if f.Task != "" {
		s = "task " + f.Task + ": " + s
	}
	if f.Line > 0 {
		s = fmt.Sprintf("line %d: %s", f.Line, s)
	}
	return s
}

// Faults is the error of a plan that is refused: all that is wrong with it, in
// the file's order.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].String()
	}
	return strings.Join(lines, "\n")
}

// maxGuesses bounds for how many mistyped words it is looked up what was meant:
// a large file may be full of them.
const maxGuesses = 50

// guess says which of the known words was meant, if one is near.
func (c *checker) guess(word string, known []string) string {
	if c.guesses++; c.guesses > maxGuesses {
		return ""
	}
	if n := nearest.Of(word, known); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}
