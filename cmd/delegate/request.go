package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/supervisor"
)

// request is one call of delegate, checked.
type request struct {
	argv             []string
	name, owner, cwd string
	env              []string
	stdin            string
	limits           journal.Limits
	wait, json       bool
	quiet            bool

	home   journal.Home
	id     string
	umask  int // the caller's
	posted *ipc.PostedRun
}

// check refuses what can be told to be wrong without starting anything.
func (r *request) check() error {
	if run := os.Getenv("AGENT_RUNS_RUN_ID"); run != "" {
		return cli.Fail(cli.Refused, "a child cannot delegate (this is run %s)", run)
	}
	for i, a := range r.argv {
		if err := checkText(fmt.Sprintf("argument %d", i), a); err != nil {
			return err
		}
	}
	for _, e := range r.env {
		if k, _, ok := strings.Cut(e, "="); !ok || k == "" {
			return cli.Fail(cli.Usage, "--env %q is not of the form K=V", e)
		}
	}
	here, err := os.Getwd()
	if err != nil && !filepath.IsAbs(r.cwd) {
		return cli.Fail(cli.Usage, "the current directory cannot be told: %v", err).WithTry("--cwd DIR")
	}
	if r.cwd == "" {
		r.cwd = here
	} else if !filepath.IsAbs(r.cwd) {
		r.cwd = filepath.Join(here, r.cwd)
	}
	switch r.stdin {
	case "", "open", "-":
	default:
		if !filepath.IsAbs(r.stdin) {
			r.stdin = filepath.Join(here, r.stdin)
		}
		if f, err := os.OpenFile(r.stdin, os.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
			return cli.Fail(cli.Usage, "--stdin: %v", err)
		} else {
			f.Close()
		}
	}
	if err := checkText("--cwd", r.cwd); err != nil {
		return err
	}
	return checkText("--stdin", r.stdin)
}

// checkText refuses what a record would change in silence: JSON holds text,
// and the child would get other bytes than its caller gave.
func checkText(field, s string) error {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return cli.Fail(cli.Usage, "%s %q is not valid UTF-8 text", field, s)
	}
	return nil
}

func (r *request) run(ctx context.Context) error {
	if err := r.post(); err != nil {
		return err
	}
	signals, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if r.wait {
		return r.waitFor(signals)
	}
	if err := r.awaitStart(signals); err != nil {
		return r.interrupted(err)
	}
	return r.receipt()
}

// post makes the run durable and the supervisor aware of it.
func (r *request) post() error {
	r.umask = cli.OwnUmask()
	dir, err := journal.HomeDir(os.Getenv)
	if err != nil {
		return cli.Fail(cli.Usage, "%v", err)
	}
	if r.home, err = journal.OpenHome(dir); err != nil {
		return cli.Fail(cli.Usage, "%v", err)
	}
	now := time.Now().UTC()
	r.id = journal.NewID(now)
	if err := os.Mkdir(r.home.Run(r.id), 0o700); err != nil {
		return err
	}
	failpoint.Hit("run/made")
	l, err := r.record(now)
	if err == nil {
		c := journal.Command{Version: journal.Version, ID: r.id, RunID: r.id, Action: journal.ActionRun, Actor: r.owner, Asker: &l.Asker, CreatedAt: now}
		r.posted, err = ipc.PostRun(r.home, *l, c)
	}
	if err == nil {
		err = supervisor.Ensure(r.home)
	}
	if err != nil {
		r.unmake(l)
		return fmt.Errorf("the run was not started: %w", err)
	}
	return nil
}

// unmake removes what a failed post left, unless the command got through.
func (r *request) unmake(l *journal.Launch) {
	if _, err := os.Lstat(r.home.Command(r.id)); err == nil {
		return
	}
	if l != nil && l.EnvFile != "" {
		os.Remove(l.EnvFile)
	}
	os.RemoveAll(r.home.Run(r.id))
}

func (r *request) record(now time.Time) (*journal.Launch, error) {
	asker, err := launch.IdentityOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	l := &journal.Launch{Version: journal.Version, ID: r.id, RootID: r.id, Name: r.name, Owner: r.owner, Cwd: r.cwd, Context: "fresh",
		Program: journal.Program{Runtime: "command", Argv: r.argv}, Limits: r.limits, Tree: tree(), Umask: r.umask,
		Rlimits: launch.CallersLimits(), Asker: asker, CreatedAt: now}
	if l.Stdin, err = r.stdinRecord(); err != nil {
		return l, err
	}
	env := childEnv(os.Environ(), r.env, r.cwd)
	l.Program.EnvNames = launch.EnvNames(env)
	l.EnvFile, err = launch.WriteEnv(r.id, r.home.Run(r.id), env)
	return l, err
}

// stdinRecord keeps what "-" reads in the run's directory: the child may
// start late, and again be read by a person afterwards.
func (r *request) stdinRecord() (journal.Stdin, error) {
	switch r.stdin {
	case "":
		return journal.Stdin{Mode: "empty"}, nil
	case "open":
		return journal.Stdin{Mode: "open"}, nil
	case "-":
		path := r.home.File(r.id, "stdin.data")
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = io.Copy(f, os.Stdin)
			err = errors.Join(err, f.Sync(), f.Close())
		}
		return journal.Stdin{Mode: "file", Path: path}, err
	default:
		return journal.Stdin{Mode: "file", Path: r.stdin}, nil
	}
}

// childEnv is the caller's environment with the additions in place, later
// ones winning, and PWD telling the truth about the child's directory.
func childEnv(own, extra []string, cwd string) []string {
	at := map[string]int{}
	var env []string
	for _, e := range append(append(own, "PWD="+cwd), extra...) {
		k, _, _ := strings.Cut(e, "=")
		if i, ok := at[k]; ok {
			env[i] = e
			continue
		}
		at[k] = len(env)
		env = append(env, e)
	}
	return env
}

// tree lets the tests choose an implementation; people have no use for it.
func tree() string {
	if t := os.Getenv("AGENT_RUNS_TREE"); t != "" {
		return t
	}
	return "auto"
}
