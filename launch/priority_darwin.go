package launch

import "github.com/agent-runs/agent-runs/journal"

// CallersPriority is nil: macOS hands a process's scheduling down in ways of
// its own, and the child has what the supervisor's starter had.
func CallersPriority() *journal.Priority { return nil }

// plainly runs f.
func plainly(f func() error) error { return f() }
