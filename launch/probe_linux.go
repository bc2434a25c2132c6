package launch

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Probe tries what this machine can do, by doing it.
func Probe() []Feature {
	return []Feature{
		{Name: "pidfd", Err: probePidfd(), Needed: true, Use: "signals reach the process that was meant", Without: "no process can be signalled safely"},
		{Name: "subreaper", Err: probeSubreaper(), Needed: true, Use: "orphans of a run come to its shim", Without: "orphans of a run escape"},
		{Name: "exit by pidfd", Err: probeExitStatus(), Use: "an exit is known even if supervisor and shim died", Without: "an exit is unknown if supervisor and shim both died before it"},
		{Name: "cgroup", Err: CgroupUsable(), Use: "a run's tree is a cgroup", Without: "a run's tree is what its shim inherits as a subreaper"},
		{Name: "memory file system", Err: probeMemory(), Use: "values of environment variables touch no disk", Without: "values of environment variables pass through a private file on disk"},
	}
}

func probePidfd() error {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// probeSubreaper asks whether the kernel knows of subreapers, which does not
// make us one.
func probeSubreaper() error {
	var on int32
	return unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&on)), 0, 0, 0)
}

// probeExitStatus lets a child end, reads its status away as a parent does,
// and asks the pidfd for it.
func probeExitStatus() error {
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", ":"}, &os.ProcAttr{Dir: "/"})
	if err != nil {
		return fmt.Errorf("not tried: %w", err)
	}
	fd, err := unix.PidfdOpen(p.Pid, 0)
	if _, e := p.Wait(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	h := &Handle{f: os.NewFile(uintptr(fd), "pidfd")}
	defer h.Close()
	if _, ok := h.ExitStatus(); !ok {
		return errors.New("this kernel does not tell it")
	}
	return nil
}

func probeMemory() error {
	if dirs := memoryDirs(); len(dirs) > 0 {
		return probeWritable(dirs)
	}
	return errors.New("there is none")
}

func probeWritable(dirs []string) error {
	var first error
	for _, dir := range dirs {
		f, err := os.CreateTemp(dir, "agent-runs-probe-")
		if err == nil {
			return errors.Join(f.Close(), os.Remove(f.Name()))
		}
		if first == nil {
			first = fmt.Errorf("%s: %w", dir, err)
		}
	}
	return first
}
