package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/posting"
	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
)

// request is one call of delegate, checked.
type request struct {
	work
	owner      string
	wait, json bool
	quiet      bool

	home   journal.Home
	id     string
	launch *journal.Launch
	posted *ipc.PostedRun
	doom   string // why it will never start, as far as that is known already
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
	if err := r.awaitStart(signals); err != nil {
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
	r.launch = r.launchOf(r.id, r.owner, now)
	l := r.launch
	if r.doom, err = r.need(r.home, l); err != nil {
		return err
	}
	env, err := r.equip(r.home, l) // before anything is written
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
		l.Stdin, err = r.stdinRecord(r.home.File(r.id, "stdin.data"))
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

// stdinRecord keeps what "-" reads in a file at path: the child may start late,
// and again be read by a person afterwards.
func (w *work) stdinRecord(path string) (journal.Stdin, error) {
	switch w.stdin {
	case "":
		return journal.Stdin{Mode: "empty"}, nil
	case "open":
		return journal.Stdin{Mode: "open"}, nil
	case "-":
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = io.Copy(f, os.Stdin)
			err = errors.Join(err, f.Sync(), f.Close())
		}
		return journal.Stdin{Mode: "file", Path: path}, err
	default:
		return journal.Stdin{Mode: "file", Path: w.stdin}, nil
	}
}
