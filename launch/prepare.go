package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// prepared is everything a child needs, open and checked, before the fork.
type prepared struct {
	path     string
	argv     []string
	env      []string
	dir      string
	mark     string // what the child makes if it does not execute the program
	stdio    [3]*os.File
	umask    int
	limit    map[int]unix.Rlimit
	priority *journal.Priority // the caller's; nil: as everybody
}

// prepare turns the launch record into open files. Every error is a
// *stageError. envFile is what to remove once the child runs.
func (s *shim) prepare(l *journal.Launch) (p *prepared, envFile string, err error) {
	p = &prepared{dir: l.Cwd, mark: s.home.File(s.id, journal.NeverRanFile), umask: l.Umask, argv: l.Program.Argv, limit: callersLimits(l.Rlimits), priority: l.Priority}
	if err := s.fill(p, l); err != nil {
		p.close()
		return nil, "", err
	}
	return p, l.EnvFile, nil
}

// fill does what can fail, what needs no open file first. What it opened
// before an error is p's to close.
func (s *shim) fill(p *prepared, l *journal.Launch) (err error) {
	// The mark of an attempt before us: its child is gone, or the run's lock,
	// which it shared, would not be ours.
	if err = os.Remove(p.mark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &stageError{"gate", err}
	}
	if p.env, err = childEnv(s.home, l); err != nil {
		return err
	}
	if err = checkCwd(l.Cwd); err != nil {
		return err
	}
	if p.path, err = lookPath(l.Program.Argv[0], l.Cwd, p.env); err != nil {
		return err
	}
	if err = s.openStdio(l, p); err != nil {
		return err
	}
	return s.tree.open(s.id, l)
}

// childEnv is the caller's environment and two variables of ours.
func childEnv(h journal.Home, l *journal.Launch) ([]string, error) {
	var env []string
	if l.EnvFile != "" {
		var err error
		if env, err = ReadEnv(l.EnvFile); err != nil {
			return nil, &stageError{"env", err}
		}
	}
	kept := env[:0]
	for _, v := range env {
		if !strings.HasPrefix(v, "AGENT_RUNS_") {
			kept = append(kept, v)
		}
	}
	return append(kept, "AGENT_RUNS_RUN_ID="+l.ID, "AGENT_RUNS_HOME="+h.Dir), nil
}

func checkCwd(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR}
	}
	if err == nil {
		if e := unix.Access(dir, unix.X_OK); e != nil {
			err = &fs.PathError{Op: "chdir", Path: dir, Err: e}
		}
	}
	if err != nil {
		return &stageError{"cwd", err}
	}
	return nil
}

// lookPath finds the program as the caller's shell would: by the child's PATH
// and from the child's directory.
func lookPath(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if err := executable(name); err != nil {
			return "", &stageError{"program", err}
		}
		return name, nil
	}
	var denied error
	for _, d := range filepath.SplitList(lookup(env, "PATH", "/usr/local/bin:/usr/bin:/bin")) {
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		full := filepath.Join(d, name)
		err := executable(full)
		if err == nil {
			return full, nil
		}
		if errors.Is(err, fs.ErrPermission) && denied == nil {
			denied = err
		}
	}
	if denied != nil {
		return "", &stageError{"program", denied}
	}
	return "", &stageError{"program", fmt.Errorf("%q: %w in PATH", name, errNoProgram)}
}

var errNoProgram = errors.New("no such program")

func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return &fs.PathError{Op: "exec", Path: path, Err: syscall.EISDIR}
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return &fs.PathError{Op: "exec", Path: path, Err: err}
	}
	return nil
}

func lookup(env []string, name, otherwise string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v
		}
	}
	return otherwise
}

func (s *shim) openStdio(l *journal.Launch, p *prepared) (err error) {
	if p.stdio[0], err = s.openStdin(l); err != nil {
		return &stageError{"stdin", err}
	}
	for i, name := range []string{journal.StdoutFile, journal.StderrFile} {
		// Append mode: two processes that share the file never overwrite each other.
		p.stdio[i+1], err = os.OpenFile(s.home.File(s.id, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return &stageError{"output", err}
		}
	}
	return nil
}

func (s *shim) openStdin(l *journal.Launch) (*os.File, error) {
	switch l.Stdin.Mode {
	case "open":
		path := s.home.File(s.id, journal.StdinFile)
		if err := unix.Mkfifo(path, 0o600); err != nil && err != unix.EEXIST {
			return nil, err
		}
		// The reader first, which never waits this way; then there is one, and
		// a writer need not wait either.
		reader, err := openPlain(path)
		if err != nil {
			return nil, err
		}
		keep, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			reader.Close()
			return nil, err
		}
		s.stdin = os.NewFile(uintptr(keep), path)
		if l.Agent == nil {
			return reader, nil
		}
		// Held and never read here: see Feed.
		allowFeed()
		if s.said, err = os.OpenFile(s.home.File(s.id, journal.SaidLogFile), os.O_RDONLY|os.O_CREATE, 0o600); err != nil {
			reader.Close()
			return nil, err
		}
		return reader, nil
	case "file":
		return openPlain(l.Stdin.Path)
	default:
		return openPlain(os.DevNull)
	}
}

// openPlain opens for reading without ever blocking on a fifo's other end.
func openPlain(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// callersLimits lowers what this process may not have, so that a caller with
// wider limits than the supervisor's starter is not refused for it.
func callersLimits(want []journal.Rlimit) map[int]unix.Rlimit {
	limits := map[int]unix.Rlimit{}
	mayRaise := mayRaiseLimits()
	for _, w := range want {
		var own unix.Rlimit
		if unix.Getrlimit(w.Resource, &own) != nil {
			continue
		}
		r := unix.Rlimit{Cur: w.Cur, Max: w.Max}
		if !mayRaise {
			r.Max = min(r.Max, own.Max)
			r.Cur = min(r.Cur, r.Max)
		}
		limits[w.Resource] = r
	}
	return limits
}

func (p *prepared) close() {
	for _, f := range p.stdio {
		if f != nil {
			f.Close()
		}
	}
}
