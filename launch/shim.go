package launch

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// Assignment is what the supervisor hands to a shim, together with the
// descriptor that holds the run's lock.
type Assignment struct {
	RunID string `json:"runId"`
	// Admission is written by the shim beside process.json where the run is
	// admitted and started in one go: both are durable before the gate opens,
	// and one wait for the disk serves both.
	Admission *journal.Admission `json:"admission,omitempty"`
}

// Report is the shim's one answer.
type Report struct {
	Process *journal.Process `json:"process,omitempty"` // the child's program runs, or ran
	Error   string           `json:"error,omitempty"`   // nothing was recorded and nothing ran: may be tried again
	Failed  bool             `json:"failed,omitempty"`  // exit.json says why nothing ran
}

// Signals a shim understands. It takes no other orders.
const (
	SignalHurry    = syscall.SIGINT  // no more grace for anything: kill the child and the rest now
	SignalBack     = syscall.SIGUSR1 // a supervisor adopted the run: watch it again
	SignalEndStdin = syscall.SIGUSR2 // nothing more will be steered: let the child read the end
)

// shimSocket is the descriptor a shim is born with.
const shimSocket = 3

// ShimMain is the shim's life: wait for an assignment, start the child behind
// its gate, record it, wait, clear the tree, record the exit, leave. It is a
// child subreaper, so every orphan of the tree comes to it.
func ShimMain(home string) int {
	h := journal.Home{Dir: home}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return complain("become a subreaper", err)
	}
	hurry := catchSignals()
	warmUp()
	syscall.CloseOnExec(shimSocket) // no business of the child's
	socket := os.NewFile(shimSocket, "supervisor")
	task, lock, err := receive(shimSocket)
	if err != nil {
		return complain("receive an assignment", err)
	}
	if task == nil {
		return 0 // the supervisor left and needs no spare shim any more
	}
	defer lock.Close()
	s := &shim{home: h, id: task.RunID}
	child, report := s.start(task)
	answer(socket, report)
	socket.Close()
	if child == nil {
		return 0
	}
	go watchSupervisor(h, hurry.supervisorIsBack)
	go s.closeStdin(hurry.endStdin)
	s.finish(child, hurry.now)
	return 0
}

func complain(what string, err error) int {
	fmt.Fprintf(os.Stderr, "agent-runs shim: %s: %v\n", what, err)
	return 1
}

// urgency is what signals tell a shim.
type urgency struct {
	now              chan struct{} // closed by INT: no more grace for anything
	supervisorIsBack chan struct{} // USR1: a supervisor adopted us, watch it again
	endStdin         chan struct{} // USR2: nothing more will be steered to the child
}

func catchSignals() urgency {
	u := urgency{make(chan struct{}), make(chan struct{}, 1), make(chan struct{}, 1)}
	c := make(chan os.Signal, 4)
	signal.Notify(c, SignalHurry, SignalBack, SignalEndStdin)
	// A shim is not ended by the signals people send to names: it would take
	// the child with it. The child gets its own.
	signal.Ignore(syscall.SIGHUP, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE)
	go func() {
		var once sync.Once
		for s := range c {
			switch s {
			case SignalHurry:
				once.Do(func() { close(u.now) })
			case SignalBack:
				poke(u.supervisorIsBack)
			case SignalEndStdin:
				poke(u.endStdin)
			}
		}
	}()
	return u
}

// poke leaves a note for a reader that may be busy; one note is enough.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

type shim struct {
	home  journal.Home
	id    string
	cg    *Cgroup
	stdin *os.File // our write end of the fifo, so that the child sees no end between two writers
}

// running is a child whose program executes.
type running struct {
	pid    int
	reaper *reaper
}

// start brings the child up to its program. A nil child means that it is over:
// either nothing is recorded (Report.Error) or the exit record says why.
func (s *shim) start(task *Assignment) (*running, Report) {
	var l journal.Launch
	if err := journal.Read(s.home.File(s.id, journal.LaunchFile), &l); err != nil {
		return nil, Report{Error: err.Error()}
	}
	spec, env, err := s.prepare(&l)
	if err == nil {
		failpoint.Hit("shim/fork")
		var g *Gated
		if g, err = forkGated(spec.child()); err == nil {
			spec.close()
			failpoint.Hit("shim/gated")
			return s.release(task, g, env)
		}
		spec.close()
	}
	s.removeCgroup()
	return nil, s.neverStarted(task, err)
}

// release makes the child's identity durable and opens the gate, in this
// order: that is P1.
func (s *shim) release(task *Assignment, g *Gated, envFile string) (*running, Report) {
	p, err := s.record(task, g.PID)
	if err != nil {
		g.Abandon()
		s.removeCgroup()
		return nil, Report{Error: err.Error()}
	}
	failpoint.Hit("shim/recorded")
	err = g.Open()
	failpoint.Hit("shim/opened")
	r := &running{g.PID, reapAll(g.PID)}
	os.Remove(envFile)
	if err == nil {
		return r, Report{Process: p}
	}
	<-r.reaper.main
	s.removeCgroup()
	s.writeExit(&journal.Exit{PID: g.PID, LaunchError: launchError(err)}, time.Now())
	return nil, Report{Process: p, Failed: true}
}

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
	p := &journal.Process{Version: journal.Version, ID: s.id, PID: pid, Identity: child,
		Token: journal.NewID(time.Now()), Shim: journal.Shim{PID: self.PID, Identity: self},
		PGID: pid, SID: pid, StartedAt: time.Now().UTC()}
	if s.cg != nil {
		p.Cgroup = s.cg.Dir
	}
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

// finish waits for the child, clears what it left, and records both.
func (s *shim) finish(r *running, now <-chan struct{}) {
	var l journal.Launch
	grace := time.Duration(0)
	if journal.Read(s.home.File(s.id, journal.LaunchFile), &l) == nil {
		grace = l.Limits.Grace()
	}
	var end ended
	select {
	case end = <-r.reaper.main:
	case <-now:
		if st, err := readStat(r.pid); err == nil {
			st.signal(unix.SIGKILL)
		}
		end = <-r.reaper.main
	}
	failpoint.Hit("shim/ended")
	left, proven := s.clearing(r, now).run(grace)
	failpoint.Hit("shim/cleared")
	e := ExitOf(end.status)
	e.PID, e.Leftovers, e.Observed = r.pid, left, journal.ObservedWaited
	e.Rusage = rusageOf(end.usage)
	e.Tree = journal.TreeUnproven
	if proven {
		e.Tree = journal.TreeEmpty
		s.removeCgroup()
	}
	s.writeExit(&e, end.at)
	failpoint.Hit("shim/leaving")
}

func (s *shim) clearing(r *running, now <-chan struct{}) clearing {
	c := clearing{changed: func() <-chan struct{} { return r.reaper.changed }, hurry: now,
		list:  func() []stat { return descendants(os.Getpid()) },
		empty: r.reaper.none.Load,
	}
	if s.cg != nil {
		c.killAll = func() { s.cg.Kill() }
		c.list = func() []stat { return append(descendants(os.Getpid()), s.cg.Members()...) }
		c.empty = func() bool {
			e, err := s.cg.Empty()
			return err == nil && e && r.reaper.none.Load()
		}
	}
	return c
}

func (s *shim) removeCgroup() {
	if s.cg != nil {
		s.cg.Remove()
	}
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
		err := journal.WriteOnce(path, e)
		if err == nil || errors.Is(err, journal.ErrExists) {
			return
		}
		if _, gone := os.Stat(filepath.Dir(path)); errors.Is(gone, os.ErrNotExist) {
			return // the run was removed under us; there is no place for the truth
		}
		complain("record the exit of "+s.id, err)
		time.Sleep(pause)
	}
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

// receive waits for the assignment. All nil: the supervisor closed its end.
func receive(fd int) (*Assignment, *os.File, error) {
	body, oob := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(4))
	for {
		n, oobn, _, _, err := unix.Recvmsg(fd, body, oob, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return nil, nil, err
		}
		var a Assignment
		if err := json.Unmarshal(body[:n], &a); err != nil {
			return nil, nil, err
		}
		msgs, err := unix.ParseSocketControlMessage(oob[:oobn])
		if err != nil || len(msgs) != 1 {
			return nil, nil, fmt.Errorf("assignment without the lock: %v", err)
		}
		fds, err := unix.ParseUnixRights(&msgs[0])
		if err != nil || len(fds) != 1 {
			return nil, nil, fmt.Errorf("assignment without the lock: %v", err)
		}
		return &a, os.NewFile(uintptr(fds[0]), "lock"), nil
	}
}

// answer reports to the supervisor. If it died meanwhile nobody needs to hear:
// the records say it all.
func answer(socket *os.File, r Report) {
	body, err := json.Marshal(r)
	if err == nil {
		unix.SendmsgN(int(socket.Fd()), body, nil, nil, unix.MSG_NOSIGNAL)
	}
}
