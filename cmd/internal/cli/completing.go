package cli

import "os"

// Completing reports whether one of our completion scripts is asking. The
// library's flag alone does not say so: it could be the last argument of a
// child, which then would silently not be run.
func Completing() bool { return os.Getenv("AGENT_RUNS_COMPLETION") != "" }
