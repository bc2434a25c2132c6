//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// outputRounds is odd, for a median.
const outputRounds = 5

// output compares a child that writes 1 GiB with the same into a plain file.
// Each begins with nothing left to write back and takes turns in going first:
// beyond a few dirty gigabytes the kernel slows every writer down to the disk,
// and it would be whoever comes later.
func output(p *place) ([]row, error) {
	blast := []string{"/bin/sh", "-c", "head -c 1073741824 /dev/zero"}
	plain := func(i int) (time.Duration, string, error) {
		path := filepath.Join(p.dir, "plain"+strconv.Itoa(i))
		d, _, err := p.spawn([]string{"/bin/sh", "-c", blast[2] + " >" + path})
		return d, path, err
	}
	ours := func(int) (time.Duration, string, error) {
		d, id, err := p.spawn(append(p.cmd("delegate", "-q", "--wait", "--"), blast...))
		return d, filepath.Join(p.home(), "runs", id, "stdout.log"), err
	}
	var ratios []float64
	for i := range outputRounds {
		var took [2]time.Duration
		for j := range took {
			which := (i + j) % 2
			unix.Sync()
			d, path, err := []func(int) (time.Duration, string, error){plain, ours}[which](i)
			if err == nil {
				err = os.Truncate(path, 0)
			}
			if err != nil {
				return nil, err
			}
			took[which] = d
		}
		ratios = append(ratios, float64(took[1])/float64(took[0]))
	}
	slices.Sort(ratios)
	return []row{{"a child writing 1 GiB, against a plain file", fmt.Sprintf("%.2f × (%.2f to %.2f)", ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1]), "1.0 ×"}}, nil
}

// use is what one process has cost so far.
type use struct {
	pssKB, ticks, switches int
}

func usage(pid int) use {
	var u use
	u.pssKB = field(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss:")
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		user, _ := strconv.Atoi(f[11])
		system, _ := strconv.Atoi(f[12])
		u.ticks = user + system
	}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, t := range tasks {
		u.switches += field(t, "voluntary_ctxt_switches:")
	}
	return u
}

func field(path, name string) int {
	b, _ := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			n, _ := strconv.Atoi(f[1])
			return n
		}
	}
	return 0
}

// ours lists the shims of this home.
func (p *place) shims() []int {
	var pids []int
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, d := range dirs {
		b, _ := os.ReadFile(d)
		if a := strings.Split(string(b), "\x00"); len(a) > 2 && a[1] == "__shim" && a[2] == p.home() {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(d)))
			pids = append(pids, pid)
		}
	}
	return pids
}

const idleSpan = 30 * time.Second

func memory(p *place) ([]row, error) {
	if _, err := p.many(100); err != nil {
		return nil, err
	}
	time.Sleep(2 * time.Second)
	shims, sup := p.shims(), p.supervisorPID()
	before := usage(sup)
	sum := before
	var pss int
	for _, pid := range shims {
		u := usage(pid)
		pss += u.pssKB
		sum.ticks += u.ticks
		sum.switches += u.switches
	}
	time.Sleep(idleSpan)
	var after use
	for _, pid := range append(p.shims(), sup) {
		u := usage(pid)
		after.ticks += u.ticks
		after.switches += u.switches
	}
	return []row{
		{fmt.Sprintf("a shim's proportional memory at 100 live children (%d shims, one is the spare)", len(shims)), fmt.Sprintf("%.2f MB", float64(pss)/float64(len(shims))/1024), "1.0 MB"},
		{"the supervisor's, with 100 children", fmt.Sprintf("%.1f MB", float64(before.pssKB)/1024), "20 MB + 64 KiB a child"},
		{"100 idle children for 30 s: CPU of supervisor and shims", fmt.Sprintf("%.2f s", float64(after.ticks-sum.ticks)/100), "0.00 s"},
		{"voluntary context switches meanwhile", strconv.Itoa(after.switches - sum.switches), "0"},
	}, nil
}
