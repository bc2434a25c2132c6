package launch

import (
	"bytes"
	"errors"
	"fmt"
	"github.com/agent-runs/agent-runs/internal/rawfile"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
)

// BootID names this boot of this machine. It never changes while it runs.
var BootID = sync.OnceValues(func() (string, error) {
	b, err := rawfile.Read("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("boot id: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
})

func readStat(pid int) (stat, error) {
	b, err := rawfile.Read("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return stat{}, fmt.Errorf("pid %d: %w", pid, ErrGone)
	}
	if err != nil {
		return stat{}, err
	}
	return parseStat(b)
}

// parseStat splits behind the last ")": a program chooses its own name and
// may put spaces and parentheses into it.
func parseStat(b []byte) (stat, error) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return stat{}, fmt.Errorf("stat line %q has no name", b)
	}
	f := strings.Fields(string(b[end+1:]))
	if len(f) < 20 {
		return stat{}, fmt.Errorf("stat line %q is too short", b)
	}
	s := stat{state: f[0][0], name: string(b[open+1 : end])}
	var errs [6]error
	s.pid, errs[0] = strconv.Atoi(strings.TrimSpace(string(b[:open])))
	s.ppid, errs[1] = strconv.Atoi(f[1])
	s.pgid, errs[2] = strconv.Atoi(f[2])
	s.sid, errs[3] = strconv.Atoi(f[3])
	s.threads, errs[5] = strconv.Atoi(f[17])
	s.start, errs[4] = strconv.ParseUint(f[19], 10, 64)
	if len(f) > 49 {
		s.exit, _ = strconv.Atoi(f[49]) // hidden (0) from those who may not trace it
	}
	return s, errors.Join(errs[:]...)
}

// zombieStatus reads how a process ended while its parent has not done so.
func zombieStatus(id journal.Identity) (syscall.WaitStatus, bool) {
	st, err := readStat(id.PID)
	return syscall.WaitStatus(st.exit), err == nil && st.start == id.StartTicks && st.state == 'Z' && !st.live()
}
