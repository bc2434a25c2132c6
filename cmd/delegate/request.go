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

	"github.com/agent-runs/agent-runs/cmd/internal/agents"
	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/posting"
	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
)

// request is one call of delegate, checked.
type request struct {
	argv             []string  // of a plain command
	agent            *agentAsk // nil: a plain command
	name, owner, cwd string
	env              []string
	stdin            string
	limits           journal.Limits
	wait, json       bool
	quiet            bool

	cwdGiven bool
	home     journal.Home
	id       string
	launch   *journal.Launch
	posted   *ipc.PostedRun
}

// check refuses what can be told to be wrong without starting anything.
func (r *request) check() error {
	if err := posting.Allowed(); err != nil {
		return err
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
	if r.cwdGiven = r.cwd != ""; !r.cwdGiven {
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
	interrupts := make(chan os.Signal, 1)
	if err := r.post(interrupts); err != nil {
		return err
	}
	signals, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		<-interrupts
		stop()
	}()
	if r.wait {
		return r.waitFor(signals)
	}
	if err := cli.AwaitStart(signals, r.home, r.id); err != nil {
		return r.interrupted(err)
	}
	return r.receipt()
}

// post makes the run durable and the supervisor aware of it. Ctrl-C is heard by
// interrupts from the moment on when there is a run to come back to.
func (r *request) post(interrupts chan<- os.Signal) error {
	umask := cli.OwnUmask()
	dir, err := journal.HomeDir(os.Getenv)
	if err != nil {
		return cli.Fail(cli.Usage, "%v", err)
	}
	r.home = journal.Home{Dir: dir}
	now := time.Now().UTC()
	r.id = journal.NewID(now)
	l := &journal.Launch{ID: r.id, RootID: r.id, Name: r.name, Owner: r.owner, Cwd: r.cwd, Context: journal.ContextFresh,
		Program: journal.Program{Runtime: journal.RuntimeCommand, Argv: r.argv}, Limits: r.limits, CreatedAt: now}
	r.launch = l
	env, err := r.equip(l) // before anything is written
	if err != nil {
		return err
	}
	if r.home, err = journal.OpenHome(dir); err != nil {
		return cli.Fail(cli.Usage, "%v", err)
	}
	if err := os.Mkdir(r.home.Run(r.id), 0o700); err != nil {
		return err
	}
	failpoint.Hit("run/made")
	if r.agent == nil {
		l.Stdin, err = r.stdinRecord()
	}
	if err == nil {
		err = posting.Fill(r.home, l, env, umask)
	}
	if err == nil {
		signal.Notify(interrupts, os.Interrupt)
		r.posted, err = ipc.PostRun(r.home, *l, posting.Command(l))
	}
	if err == nil {
		err = supervisor.Ensure(r.home)
	}
	if err != nil {
		posting.Withdraw(r.home, l)
		return fmt.Errorf("the run was not started: %w", err)
	}
	return nil
}

// equip returns the child's environment. Of an agent it completes the launch.
func (r *request) equip(l *journal.Launch) ([]string, error) {
	if r.agent == nil {
		return posting.Env(os.Environ(), r.env, r.cwd), nil
	}
	path := posting.Getenv(posting.Env(os.Environ(), r.env, l.Cwd), "PATH")
	runtime, err := r.agent.complete(r.home, r.owner, l, r.cwdGiven, path)
	if err != nil {
		return nil, err
	}
	return agents.Equip(l, runtime, posting.Env(os.Environ(), r.env, l.Cwd))
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
