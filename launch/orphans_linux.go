package launch

import (
	"bytes"
	"maps"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// Orphans is the supervisor's side of being a subreaper: the children of a
// shim that dies come to the supervisor that started it. It reaps everything
// that ends here and remembers how, by identity.
type Orphans struct {
	mu     sync.Mutex
	ends   map[journal.Identity]ended
	order  []journal.Identity
	shims  map[int]*ShimProcess      // children of ours that are shims
	lost   map[string]bool           // runs whose shim died here and whose tree is not cleared yet
	cared  map[journal.Identity]bool // shims whose run somebody sees to, their own end not read yet
	dead   map[journal.Identity]bool // shims that ended with a run that nobody sees to yet
	change chan struct{}             // closed and replaced whenever a child ended
}

// maxEnds bounds what is remembered: the children of dead shims only.
const maxEnds = 4096

// AdoptOrphans makes this process a subreaper and starts reaping. From then
// on no other code of this process may wait for children.
func AdoptOrphans() (*Orphans, error) {
	nameProcess("agent-runs-sup")
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, err
	}
	o := &Orphans{ends: map[journal.Identity]ended{}, shims: map[int]*ShimProcess{}, lost: map[string]bool{},
		cared: map[journal.Identity]bool{}, dead: map[journal.Identity]bool{}, change: make(chan struct{})}
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCHLD)
	go func() {
		for range c {
			o.reap()
		}
	}()
	return o, nil
}

// SpawnShim starts a shim and knows it from orphans.
func (o *Orphans) SpawnShim(h journal.Home) (*ShimProcess, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p, err := SpawnShim(h)
	if err == nil {
		o.shims[p.ID.PID] = p
	}
	return p, err
}

// reap reads every end there is. It peeks first: a zombie still has its start
// time, so the end can be remembered under an identity and not under a pid.
func (o *Orphans) reap() {
	o.mu.Lock()
	defer o.mu.Unlock()
	any := false
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
		pid := siginfoPID(&info)
		if err == unix.EINTR {
			continue
		}
		if err != nil || pid == 0 {
			break
		}
		st, serr := readStat(pid)
		var e ended
		if _, err := syscall.Wait4(pid, &e.status, unix.WALL|unix.WNOHANG, &e.usage); err != nil {
			break
		}
		any = true
		if p := o.shims[pid]; p != nil {
			o.shimEnded(p)
			continue
		}
		if boot, err := BootID(); err == nil && serr == nil {
			e.at = time.Now()
			o.remember(journal.Identity{BootID: boot, PID: pid, StartTicks: st.start}, e)
		}
	}
	if any {
		close(o.change)
		o.change = make(chan struct{})
	}
}

func (o *Orphans) shimEnded(p *ShimProcess) {
	delete(o.shims, p.ID.PID)
	if p.assigned.Load() && !o.cared[p.ID] {
		o.dead[p.ID] = true
	}
	delete(o.cared, p.ID)
}

// Settled says that the run which was given to a shim is over, or never
// began: the shim's death leaves nothing that could be taken for another's.
func (o *Orphans) Settled(shim journal.Identity) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.care(shim)
}

func (o *Orphans) care(shim journal.Identity) {
	if p := o.shims[shim.PID]; p != nil && p.ID == shim {
		o.cared[shim] = true
	}
	delete(o.dead, shim)
}

func (o *Orphans) remember(id journal.Identity, e ended) {
	if len(o.order) == maxEnds {
		delete(o.ends, o.order[0])
		o.order = o.order[1:]
	}
	o.order = append(o.order, id)
	o.ends[id] = e
}

// siginfoPID reads si_pid of a SIGCHLD siginfo_t: behind three ints, aligned
// to the union that holds pointers.
func siginfoPID(s *unix.Siginfo) int {
	at := unsafe.Sizeof(s.Signo) * 3
	if align := unsafe.Alignof(uintptr(0)); at%align != 0 {
		at += align - at%align
	}
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(s), at)))
}

// endOf returns how the child with id ended, and a channel that is closed
// when there is more to know.
func (o *Orphans) endOf(id journal.Identity) (ended, bool, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	e, ok := o.ends[id]
	return e, ok, o.change
}

func (o *Orphans) changed() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.change
}

// expect and release bracket the time in which orphans of run id may be here.
func (o *Orphans) expect(id string, shim journal.Identity) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lost[id] = true
	o.care(shim)
}

func (o *Orphans) release(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.lost, id)
}

// of lists the live processes below us that belong to run id. A direct child
// that is no shim is an orphan of some dead shim; whose, its inherited mark
// tells, and where that was erased there is no doubt if only one shim is
// missing. strays are those that could be of several runs: they are not
// touched before only one is left.
//
// The children are listed first: a shim that had died by then is known to be
// missing afterwards, also where nobody has come to care for its run yet.
func (o *Orphans) of(id string) (mine, strays []stat) {
	children := childrenOf(os.Getpid())
	only, shims, lost := o.missing(id)
	for _, pid := range children {
		if shims[pid] {
			continue
		}
		st, err := readStat(pid)
		if err != nil {
			continue
		}
		switch mark := markOf(pid); {
		case mark == id || only && mark == "":
			mine = appendTree(mine, st)
		case !lost[mark] && st.live():
			strays = append(strays, st)
		}
	}
	return mine, strays
}

// missing says whether the shim of run id is the only one that died, which
// children are shims, and whose orphans are looked for.
func (o *Orphans) missing(id string) (only bool, shims map[int]bool, lost map[string]bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	only, shims, lost = len(o.lost) == 1 && o.lost[id] && len(o.dead) == 0, map[int]bool{}, maps.Clone(o.lost)
	for pid, p := range o.shims {
		shims[pid] = true
		if st, err := readStat(pid); (err != nil || !st.live()) && p.assigned.Load() && !o.cared[p.ID] {
			only = false
		}
	}
	return only, shims, lost
}

func appendTree(list []stat, root stat) []stat {
	if root.live() {
		list = append(list, root)
	}
	return append(list, descendants(root.pid)...)
}

// markOf returns the run id a process inherited in its environment, if it can
// be read. It helps to tell our own orphans apart and to list suspects; it is
// no proof of anything.
func markOf(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	for v := range bytes.SplitSeq(b, []byte{0}) {
		if id, ok := bytes.CutPrefix(v, []byte("AGENT_RUNS_RUN_ID=")); ok {
			return string(id)
		}
	}
	return ""
}
