package launch

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// Roles of the one executable, given as its first argument.
const (
	RoleShim       = "__shim"
	RoleSupervisor = "__supervisor"
	RoleGate       = "__gate"
)

// Assignment is what the supervisor hands to a shim, together with the
// descriptor that holds the run's lock.
type Assignment struct {
	RunID string
	// Admission is written by the shim beside process.json where the run is
	// admitted and started in one go: both are durable before the gate opens,
	// and one wait for the disk serves both.
	Admission *journal.Admission
}

// Report is the shim's one answer.
type Report struct {
	Process *journal.Process // the child's program runs, or ran
	Error   string           // nothing was recorded and nothing ran: may be tried again
	Failed  bool             // exit.json says why nothing ran
}

// Signals a shim understands. It takes no other orders.
const (
	SignalHurry    = syscall.SIGINT  // no more grace for anything: kill the child and the rest now
	SignalBack     = syscall.SIGUSR1 // a supervisor adopted the run: watch it again
	SignalEndStdin = syscall.SIGUSR2 // nothing more will be steered: let the child read the end
)

// shimSocket is the descriptor a shim is born with.
const shimSocket = 3

// ShimProcess is a shim of ours, as yet or for ever without an assignment.
type ShimProcess struct {
	ID       journal.Identity
	socket   *os.File
	assigned atomic.Bool // it may have a run
}

// Assign hands the run and its lock over. The lock is shared from here on;
// the caller closes its own descriptor and the shim holds it alone.
func (p *ShimProcess) Assign(a Assignment, lock *os.File) error {
	body, err := a.encode()
	if err != nil {
		return err
	}
	c, err := p.socket.SyscallConn()
	if err != nil {
		return err
	}
	fd := int(lock.Fd())
	p.assigned.Store(true)
	var inner error
	if err := c.Control(func(s uintptr) {
		inner = sendMessage(int(s), body, unix.UnixRights(fd))
	}); err != nil {
		return err
	}
	return inner
}

// Report waits for the shim's answer. An error means that the shim died
// before it could give one; the records tell what became of the run.
func (p *ShimProcess) Report() (Report, error) {
	body, err := readMessage(p.socket)
	if err != nil {
		return Report{}, err
	}
	return decodeReport(body)
}

// Published waits for the shim to say that the exit record can be read, or to
// die. Which of them it was the records tell.
func (p *ShimProcess) Published() { readMessage(p.socket) }

// Dismiss hangs up: a shim without an assignment leaves, one with a run goes
// on without saying anything.
func (p *ShimProcess) Dismiss() { p.socket.Close() }

// readable reports whether a message, or the end, is there already.
func readable(fd int) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(p, 0)
	return err == nil && n == 1
}

// receive waits for the assignment. All nil: the supervisor closed its end.
func receive(fd int) (*Assignment, *os.File, error) {
	body, rights, err := receiveMessage(fd)
	if err != nil || len(body) == 0 {
		return nil, nil, err
	}
	a, err := decodeAssignment(body)
	if err != nil {
		return nil, nil, err
	}
	msgs, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(msgs) != 1 {
		return nil, nil, fmt.Errorf("assignment without the lock: %v", err)
	}
	fds, err := unix.ParseUnixRights(&msgs[0])
	if err != nil || len(fds) != 1 {
		return nil, nil, fmt.Errorf("assignment without the lock: %v", err)
	}
	return a, os.NewFile(uintptr(fds[0]), "lock"), nil
}

// answer reports to the supervisor. If it died meanwhile nobody needs to hear:
// the records say it all.
func answer(r Report) {
	if body, err := r.encode(); err == nil {
		sendMessage(shimSocket, body, nil)
	}
}

// published tells the supervisor that the exit record can be read, so that
// its work on the verdict overlaps with our wait for the disk.
func published() { sendMessage(shimSocket, []byte{'x'}, nil) }
