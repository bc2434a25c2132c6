package launch

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// The gate is how P1 is kept: the child-to-be sits in a read of a pipe and
// executes the program only when it gets one byte. If the shim dies the read
// ends without the byte and it leaves. Who sits there differs: a forked copy
// of the shim on Linux (gate_linux.go), a helper process elsewhere
// (gate_exec.go). Both report over a second pipe that exec closes.

// stages a child reports in its status record.
const (
	stageReady = iota
	stageStdio
	stageCwd
	stageLimit
	stageExec
)

var stageNames = [...]string{"ready", "stdio", "cwd", "limit", "exec"}

// statusRecord is what it writes: one word stage, one word errno.
const statusRecord = 8

// Gated is a child held before its program's first instruction.
type Gated struct {
	PID    int
	gate   *os.File // one byte opens it, closing it ends the child
	status *os.File
}

// Open lets the child execute its program and returns when it does. A
// *stageError says that the program could not be executed; the child has
// ended then and still has to be reaped.
func (g *Gated) Open() error {
	defer g.close()
	if _, err := g.gate.Write([]byte{1}); err != nil {
		return &stageError{"gate", err}
	}
	return g.await(stageExec)
}

// Abandon ends the child without executing anything.
func (g *Gated) Abandon() {
	g.close()
	reap(g.PID)
}

func (g *Gated) close() {
	g.gate.Close()
	g.status.Close()
}

// await reads the next status record. For stageExec the end of the pipe is
// the good news: exec closed it.
func (g *Gated) await(want int32) error {
	var b [statusRecord]byte
	n, err := g.status.Read(b[:])
	if want == stageExec && n == 0 {
		return nil
	}
	if n != statusRecord {
		return &stageError{"fork", fmt.Errorf("the child died before its program: %v", err)}
	}
	stage, errno := *(*int32)(unsafe.Pointer(&b[0])), *(*int32)(unsafe.Pointer(&b[4]))
	if stage == want && errno == 0 {
		return nil
	}
	return &stageError{stageNames[stage], syscall.Errno(errno)}
}

// stageError says at which stage on its way to exec a child failed.
type stageError struct {
	stage string
	err   error
}

func (e *stageError) Error() string { return e.stage + ": " + e.err.Error() }
func (e *stageError) Unwrap() error { return e.err }

func reap(pid int) {
	for {
		if _, err := syscall.Wait4(pid, nil, waitAll, nil); err != syscall.EINTR {
			return
		}
	}
}
