package launch

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// SupervisorLockFD is the descriptor on which a new supervisor finds the lock
// of its home, already held.
const SupervisorLockFD = 3

// SpawnSupervisor starts a supervisor that inherits the held lock. It shares
// nothing with the caller: session, terminal, directory and stdio are its own.
//
// A shim passes sibling: what it starts must not count as part of the run's tree.
func SpawnSupervisor(h journal.Home, lock *os.File, sibling bool) error {
	attr := &syscall.SysProcAttr{Setsid: true}
	if sibling {
		attr = siblingAttr()
	}
	if err := keepDescriptors(); err != nil {
		return err
	}
	failpoint.Hit("supervisor/spawn")
	err := plainly(func() error {
		_, err := spawn(h, RoleSupervisor, lock, attr, nil)
		return err
	})
	failpoint.Hit("supervisor/spawned")
	return err
}

// keepDescriptors lets no program that we start inherit what our caller left
// open for us without asking: its pipe would see no end for as long as there
// is a supervisor, and every child would find it open. All that we opened
// ourselves is marked so already.
func keepDescriptors() error {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return fmt.Errorf("open descriptors: %w", err)
	}
	for _, f := range open {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// spawn starts ourselves in another role with extra as descriptor 3.
func spawn(h journal.Home, role string, extra *os.File, attr *syscall.SysProcAttr, env []string) (int, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	log, err := os.OpenFile(h.SupervisorLog(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		log = null // a full disk must not keep anybody from work that needs no log
	} else {
		defer log.Close()
	}
	program, err := self()
	if err != nil {
		return 0, err
	}
	pid, err := syscall.ForkExec(program, []string{"agent-runs", role, h.Dir}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   append(ownEnv(), env...),
		Files: []uintptr{null.Fd(), null.Fd(), log.Fd(), extra.Fd()},
		Sys:   attr,
	})
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", strings.TrimLeft(role, "_"), err)
	}
	return pid, nil
}

// ownEnv is what supervisors and shims keep of an environment: enough to find
// their places, nothing that belongs to one caller.
func ownEnv() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "GOCOVERDIR", "GORACE", "AGENT_RUNS_LINGER", "AGENT_RUNS_FAILPOINT_DIR"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// shimEnv keeps a shim small: one processor's worth of runtime (two cost 280 kB
// a shim), and a heap that is never worth a collection in its few milliseconds
// of work.
var shimEnv = []string{"GOMAXPROCS=1", "GOGC=off"}

// SpawnShim starts a shim that waits for an assignment.
func SpawnShim(h journal.Home) (*ShimProcess, error) {
	pair, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("socket of a shim: %w", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "shim")
	defer theirs.Close()
	failpoint.Hit("shim/spawn")
	pid, err := spawn(h, RoleShim, theirs, &syscall.SysProcAttr{Setsid: true}, shimEnv)
	failpoint.Hit("shim/spawned")
	if err == nil {
		var id journal.Identity
		if id, err = IdentityOf(pid); err == nil {
			unix.SetNonblock(pair[0], true)
			return &ShimProcess{ID: id, socket: os.NewFile(uintptr(pair[0]), "shim")}, nil
		}
	}
	unix.Close(pair[0])
	return nil, err
}
