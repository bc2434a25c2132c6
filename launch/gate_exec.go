package launch

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where a fork of our own cannot be had, a helper sits at the gate: ourselves
// in another role, which becomes the program by exec and so keeps pid, session
// and stdio. It costs the start of a Go program and needs nothing but pipes.
// Linux has the better gate and runs this one in tests only.

// Descriptors a helper is born with, besides the program's stdio.
const (
	gateFD   = 3
	statusFD = 4
	orderFD  = 5
)

// gateOrder is what the helper is told. Bytes, since arguments and variables
// need not be valid text.
type gateOrder struct {
	Path      []byte
	Argv, Env [][]byte
	Dir       []byte
	Mark      []byte
	Umask     int
	Limits    map[int]unix.Rlimit
}

// execGated starts a helper and returns when it stands at the gate. The error
// is a *stageError if it could not get there; it is reaped then.
func execGated(p *prepared) (*Gated, error) {
	var pipes [3][2]int
	for i := range pipes {
		var err error
		if pipes[i], err = pipe(); err != nil {
			for _, made := range pipes[:i] {
				unix.Close(made[0])
				unix.Close(made[1])
			}
			return nil, &stageError{"fork", err}
		}
	}
	gate, status, order := pipes[0], pipes[1], pipes[2]
	pid, err := startHelper(p, gate[0], status[1], order[0])
	for _, theirs := range []int{gate[0], status[1], order[0]} {
		unix.Close(theirs)
	}
	g := &Gated{PID: pid, gate: os.NewFile(uintptr(gate[1]), "gate"), status: os.NewFile(uintptr(status[0]), "status")}
	send := os.NewFile(uintptr(order[1]), "order")
	if err != nil {
		g.close()
		send.Close()
		return nil, &stageError{"fork", err}
	}
	err = p.order(send)
	if err == nil {
		err = g.await(stageReady)
	}
	if err != nil {
		g.Abandon()
		return nil, err
	}
	return g, nil
}

func startHelper(p *prepared, fds ...int) (int, error) {
	program, err := self()
	if err != nil {
		return 0, err
	}
	var files []uintptr
	for _, f := range p.stdio {
		files = append(files, f.Fd())
	}
	for _, fd := range fds {
		files = append(files, uintptr(fd))
	}
	return syscall.ForkExec(program, []string{"agent-runs", RoleGate, p.path}, &syscall.ProcAttr{
		Env: shimEnv, Files: files, Sys: &syscall.SysProcAttr{Setsid: true}})
}

// order writes all that the helper needs and closes w.
func (p *prepared) order(w *os.File) error {
	o := gateOrder{Path: []byte(p.path), Argv: byteStrings(p.argv), Env: byteStrings(p.env), Dir: []byte(p.dir), Mark: []byte(p.mark), Umask: p.umask, Limits: p.limit}
	err := errors.Join(json.NewEncoder(w).Encode(o), w.Close())
	if err != nil {
		return &stageError{"fork", err}
	}
	return nil
}

func byteStrings(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

func plainStrings(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}

// gateFailed is the exit code of a child that never became its program.
const gateFailed = 125

// GateMain is the helper's life: get ready, say so, wait for the byte, become
// the program. The end of the pipe without the byte ends it.
func GateMain() int {
	runtime.LockOSThread() // the signal mask is this thread's, and exec keeps it
	for fd := gateFD; fd <= orderFD; fd++ {
		syscall.CloseOnExec(fd)
	}
	o, stage, err := takeOrder()
	if err != nil {
		return tell(stage, err)
	}
	tell(stageReady, nil)
	var word [1]byte
	if n, _ := os.NewFile(gateFD, "gate").Read(word[:]); n != 1 {
		o.neverRan()
		return gateFailed
	}
	stage, err = o.become()
	o.neverRan()
	return tell(stage, err)
}

// neverRan makes the mark before the end: who finds the one must find the
// other. Without a descriptor, since the limits of the program may hold already.
func (o *gateOrder) neverRan() {
	unix.Symlink("gate", string(o.Mark)) // mknod(2) makes plain files for root only on macOS
}

func takeOrder() (o gateOrder, stage int32, err error) {
	body, err := io.ReadAll(os.NewFile(orderFD, "order"))
	if err == nil {
		err = json.Unmarshal(body, &o)
	}
	if err != nil {
		return o, stageReady, syscall.EPROTO
	}
	syscall.Umask(o.Umask)
	return o, stageCwd, os.Chdir(string(o.Dir))
}

// become executes the program; it returns only if that failed. Limits come
// last: they are meant for the program, and this one might not fit into them.
func (o *gateOrder) become() (int32, error) {
	argv, env := plainStrings(o.Argv), plainStrings(o.Env)
	// Exec sets every signal that is caught back to its default; what our
	// starters ignored would stay ignored otherwise.
	signal.Notify(make(chan os.Signal, 1))
	if err := unblockSignals(); err != nil {
		return stageExec, err
	}
	for resource, r := range o.Limits {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: r.Cur, Max: r.Max}); err != nil {
			return stageLimit, err
		}
	}
	return stageExec, syscall.Exec(string(o.Path), argv, env)
}

// tell writes a status record. If nobody is there to read it the gate's pipe
// has ended as well.
func tell(stage int32, err error) int {
	report := [2]int32{stage, 0}
	var no syscall.Errno
	if errors.As(err, &no) {
		report[1] = int32(no)
	}
	syscall.Write(statusFD, (*[statusRecord]byte)(unsafe.Pointer(&report))[:])
	return gateFailed
}
