package launch

import (
	"bytes"
	"math/big"
	"os"
	"runtime"
	"strconv"

	"github.com/agent-runs/agent-runs/internal/rawfile"
	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// How the kernel favours a process is handed down from parent to child, and the
// parent of every run is a shim of whoever started the supervisor. So a caller's
// own is recorded and given to the child while it stands at its gate.

// initPID is the process whose CPUs are the ordinary ones: what the system's
// administrator gives to everybody is no caller's choice.
const initPID = 1

const ioprioWhoProcess = 1 // IOPRIO_WHO_PROCESS of linux/ioprio.h

// CallersPriority returns how this process is favoured, nil for as everybody is.
func CallersPriority() *journal.Priority {
	p := priorityOf(0)
	if p.CPUs == cpusOf(initPID) {
		p.CPUs = ""
	}
	if p == (journal.Priority{}) {
		return nil
	}
	return &p
}

// priorityOf reads how pid is favoured; 0 is the calling thread. What cannot be
// read is left at its default.
func priorityOf(pid int) journal.Priority {
	return journal.Priority{Nice: niceOf(pid), CPUs: cpusOf(pid), IOPrio: ioprioOf(pid), OOMScoreAdj: oomScoreAdjOf(pid)}
}

// favour treats a child at its gate as its caller was. What takes rights that
// this process lacks stays as it is: it is no reason not to run.
func favour(pid int, want *journal.Priority) {
	to, own := journal.Priority{}, priorityOf(0)
	if want != nil {
		to = *want
	}
	if to.CPUs == "" {
		to.CPUs = cpusOf(initPID)
	}
	give(pid, own, to)
	if to.OOMScoreAdj != own.OOMScoreAdj {
		os.WriteFile(procFile(pid, "oom_score_adj"), []byte(strconv.Itoa(to.OOMScoreAdj)), 0)
	}
}

// give changes what differs for the process or, with 0, for the calling thread.
func give(pid int, own, to journal.Priority) {
	if to.Nice != own.Nice {
		unix.Setpriority(unix.PRIO_PROCESS, pid, to.Nice)
	}
	if set, ok := cpuSet(to.CPUs); ok && to.CPUs != own.CPUs {
		unix.SchedSetaffinity(pid, &set)
	}
	if to.IOPrio != own.IOPrio {
		unix.Syscall(unix.SYS_IOPRIO_SET, ioprioWhoProcess, uintptr(pid), uintptr(to.IOPrio))
	}
}

// plainly runs f on a thread that is favoured as everybody is, as far as this
// process may: what it starts serves other callers too.
func plainly(f func() error) error {
	own, plain := priorityOf(0), journal.Priority{CPUs: cpusOf(initPID)}
	if plain.OOMScoreAdj = own.OOMScoreAdj; own == plain {
		return f()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	give(0, own, plain)
	defer func() { give(0, priorityOf(0), own) }()
	return f()
}

func niceOf(pid int) int {
	n, err := unix.Getpriority(unix.PRIO_PROCESS, pid)
	if err != nil {
		return 0
	}
	return 20 - n // the system call shifts it to be positive
}

// ioprioOf is 0 where nobody set any: the kernel then goes by the nice value.
func ioprioOf(pid int) int {
	const classShift = 13
	v, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, ioprioWhoProcess, uintptr(pid), 0)
	if errno != 0 || v>>classShift == 0 {
		return 0
	}
	return int(v)
}

func oomScoreAdjOf(pid int) int {
	b, err := rawfile.Read(procFile(pid, "oom_score_adj"))
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(string(bytes.TrimSpace(b)))
	return n
}

func procFile(pid int, name string) string {
	if pid == 0 {
		return "/proc/self/" + name
	}
	return "/proc/" + strconv.Itoa(pid) + "/" + name
}

// cpusOf writes the processors a process may use as a hexadecimal mask, as
// taskset does; "" where that cannot be told.
func cpusOf(pid int) string {
	var set unix.CPUSet
	if unix.SchedGetaffinity(pid, &set) != nil {
		return ""
	}
	var mask big.Int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			mask.SetBit(&mask, cpu, 1)
		}
	}
	return mask.Text(16)
}

func cpuSet(mask string) (set unix.CPUSet, ok bool) {
	var bits big.Int
	if _, ok = bits.SetString(mask, 16); !ok {
		return set, false
	}
	for cpu := range min(bits.BitLen(), len(set)*64) {
		if bits.Bit(cpu) == 1 {
			set.Set(cpu)
		}
	}
	return set, true
}
