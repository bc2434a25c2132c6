package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// record writes process.json and, where asked, the admission. The directories
// synced are those of the launch record too, so that P1 holds even if its
// asker died before it could sync them.
func (s *shim) record(task *Assignment, pid int) (*journal.Process, error) {
	child, err := IdentityOf(pid)
	if err != nil {
		return nil, err
	}
	self, err := IdentityOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	asleep, err := asleepMS()
	if err != nil {
		return nil, err
	}
	p := &journal.Process{Version: journal.Version, ID: s.id, PID: pid, Identity: child,
		Token: journal.NewID(time.Now()), Shim: journal.Shim{PID: self.PID, Identity: self},
		PGID: pid, SID: pid, Cgroup: s.tree.cgroup(), StartedAt: time.Now().UTC(), AsleepMS: asleep}
	var b journal.Batch
	if err := s.addAdmission(&b, task); err != nil {
		return nil, err
	}
	path := s.home.File(s.id, journal.ProcessFile)
	if err := b.Add(path, p); err != nil {
		return nil, err
	}
	if err := b.Commit(); err != nil {
		return nil, err
	}
	if b.Lost(path) {
		// P2: somebody started this run before. It must not be us again.
		return nil, fmt.Errorf("run %s was started before", s.id)
	}
	return p, nil
}

// addAdmission puts the admission first: it is seen before anything it
// admits. Its name is synced later, by the supervisor. Should a power cut
// take it, the command is admitted again, and the process record says that it
// must not be started again.
func (s *shim) addAdmission(b *journal.Batch, task *Assignment) error {
	b.StageIn = s.home.Run(s.id)
	b.AddDir(s.home.Runs())
	if task.Admission == nil {
		return nil
	}
	return b.AddUnsynced(s.home.Admission(task.Admission.ID), task.Admission)
}

// neverStarted records that no program ran and why.
func (s *shim) neverStarted(task *Assignment, cause error) Report {
	var b journal.Batch
	err := s.addAdmission(&b, task)
	if err == nil {
		err = b.Commit()
	}
	if err != nil {
		return Report{Error: err.Error()}
	}
	s.writeExit(&journal.Exit{LaunchError: launchError(cause)}, time.Now())
	return Report{Failed: true}
}

func launchError(err error) *journal.LaunchError {
	e := &journal.LaunchError{Stage: "fork", Message: err.Error()}
	var at *stageError
	if errors.As(err, &at) {
		e.Stage, e.Message = at.stage, at.err.Error()
	}
	var no syscall.Errno
	if errors.As(err, &no) {
		e.Errno = int(no)
	}
	return e
}

// writeExit does not give up: the shim is the only one who saw the end. While
// the disk is full it waits for room, holding the truth and the run's lock.
func (s *shim) writeExit(e *journal.Exit, at time.Time) {
	e.Version, e.ID, e.At = journal.Version, s.id, at.UTC()
	if e.Leftovers == nil {
		e.Leftovers = []journal.Leftover{}
	}
	if e.LaunchError != nil {
		e.Observed, e.Tree = journal.ObservedWaited, journal.TreeEmpty
	}
	path := s.home.File(s.id, journal.ExitFile)
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := s.publishExit(path, e)
		if err == nil {
			return
		}
		if _, gone := os.Stat(filepath.Dir(path)); errors.Is(gone, os.ErrNotExist) {
			return // the run was removed under us; there is no place for the truth
		}
		complain("record the exit of "+s.id, err)
		time.Sleep(pause)
	}
}

// errSetAside says that what was in the place of the exit record was none.
var errSetAside = errors.New("what was in its place was no exit record")

// publishExit writes the record once. One that is there already is the truth,
// if it can be read.
func (s *shim) publishExit(path string, e *journal.Exit) error {
	var b journal.Batch
	if err := b.Add(path, e); err != nil {
		return err
	}
	if err := b.Publish(); err != nil {
		return err
	}
	if b.Lost(path) {
		if moved, err := journal.SetExitAside(s.home, s.id); err != nil || moved {
			return errors.Join(err, errSetAside) // and once more
		}
	}
	if s.answered {
		published()
	}
	return b.Sync()
}

// closeStdin lets go of the child's stdin when the supervisor says so.
func (s *shim) closeStdin(asked <-chan struct{}) {
	if s.stdin != nil {
		<-asked
		s.stdin.Close()
	}
}

// ExitOf splits a wait status into code and signal, never mixing them.
func ExitOf(ws syscall.WaitStatus) journal.Exit {
	var e journal.Exit
	if ws.Signaled() {
		n := int(ws.Signal())
		e.Signal, e.SignalName, e.CoreDumped = &n, unix.SignalName(ws.Signal()), ws.CoreDump()
		return e
	}
	n := ws.ExitStatus()
	e.Code = &n
	return e
}
