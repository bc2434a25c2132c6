package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Home is the directory that holds all records of one user's runs.
type Home struct{ Dir string }

// HomeDir returns where the home is: $AGENT_RUNS_HOME, else
// $XDG_STATE_HOME/agent-runs, else ~/.local/state/agent-runs.
func HomeDir(getenv func(string) string) (string, error) {
	if d := getenv("AGENT_RUNS_HOME"); d != "" {
		if !filepath.IsAbs(d) {
			return "", fmt.Errorf("AGENT_RUNS_HOME %q is not absolute: it would mean another home in every directory", d)
		}
		return filepath.Clean(d), nil
	}
	if d := getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "agent-runs"), nil
	}
	if d := getenv("HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, ".local", "state", "agent-runs"), nil
	}
	return "", errors.New("no home for the records: set AGENT_RUNS_HOME or HOME to a directory")
}

// Paths inside the home.
func (h Home) Commands() string            { return filepath.Join(h.Dir, "commands") }
func (h Home) Command(id string) string    { return filepath.Join(h.Dir, "commands", id+".json") }
func (h Home) Admissions() string          { return filepath.Join(h.Dir, "admissions") }
func (h Home) Admission(id string) string  { return filepath.Join(h.Dir, "admissions", id+".json") }
func (h Home) Damaged() string             { return filepath.Join(h.Dir, "damaged") }
func (h Home) Runs() string                { return filepath.Join(h.Dir, "runs") }
func (h Home) Run(id string) string        { return filepath.Join(h.Dir, "runs", id) }
func (h Home) File(id, name string) string { return filepath.Join(h.Dir, "runs", id, name) }
func (h Home) Supervisor() string          { return filepath.Join(h.Dir, "supervisor.json") }
func (h Home) SupervisorLock() string      { return filepath.Join(h.Dir, "supervisor.lock") }
func (h Home) Events() string              { return filepath.Join(h.Dir, EventsFile) }
func (h Home) SupervisorLog() string       { return filepath.Join(h.Dir, "supervisor.log") }

// Names of the files in a run's directory.
const (
	LaunchFile  = "launch.json"
	ProcessFile = "process.json"
	StopFile    = "stop.json"
	ExitFile    = "exit.json"
	ResultFile  = "result.json"
	StdinFile   = "stdin"
	// What is said to an agent: the bytes, and the list of its messages.
	SaidLogFile = "said.log"
	SaidFile    = "said.jsonl"
	// ConversationFile is a view of a live agent's talk.
	ConversationFile = "conversation.json"
	SuccessorFile    = "successor.json"
	StdoutFile       = "stdout.log"
	StderrFile       = "stderr.log"
	EventsFile       = "events.jsonl"
	InputsFile       = "inputs.json"
	AcknowledgedFile = "acknowledged.json"
	LockFile         = "shim.lock"
	// NeverRanFile marks that the child left its gate without executing the
	// program. It decides only where the shim died before it could say so.
	NeverRanFile = "never-ran"
)

// OpenHome makes the home if it is not there and refuses one that another
// user owns or may write: whoever can write it can make us run things.
func OpenHome(dir string) (Home, error) {
	h := Home{dir}
	info, err := os.Lstat(h.Commands())
	if err != nil || !info.IsDir() {
		if err := h.create(); err != nil {
			return h, err
		}
	}
	return h, h.check()
}

// CheckHome is OpenHome for readers: it creates nothing, and a home that is
// not there is fs.ErrNotExist.
func CheckHome(dir string) (Home, error) {
	h := Home{dir}
	return h, h.check()
}

func (h Home) create() error {
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return fmt.Errorf("home: %w", err)
	}
	// Refuse a foreign home before anything is put into it.
	if err := h.check(); err != nil {
		return err
	}
	for _, d := range []string{h.Admissions(), h.Runs(), h.Damaged(), h.Commands()} {
		if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("home: %w", err)
		}
	}
	return SyncDir(h.Dir)
}

func (h Home) check() error {
	info, err := os.Stat(h.Dir)
	if err != nil {
		return fmt.Errorf("home: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("home %s is not a directory", h.Dir)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("home %s belongs to user %d, not to you (%d); set AGENT_RUNS_HOME to a directory of yours", h.Dir, st.Uid, os.Geteuid())
	}
	if info.Mode().Perm()&0o700 != 0o700 && os.Geteuid() != 0 {
		return fmt.Errorf("home %s cannot be used by you (mode %04o); chmod u+rwx it", h.Dir, info.Mode().Perm())
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("home %s can be written by others (mode %04o); chmod go-w it", h.Dir, info.Mode().Perm())
	}
	return nil
}
