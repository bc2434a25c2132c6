// Package schedule decides which runs may start: in which order, how many at
// once, and which never will because of what they need. It is pure: it knows
// ids, and is told what happens to them.
//
// It promises that no more tasks with a slot run at once than there are slots,
// and no more of a group than the group allows; that of those that could start
// the one with the smallest id does (ids sort by creation, so first come, first
// served), and nothing that could start waits; that a task starts only after
// all it needs has ended well, and is blocked as soon as one has not.
//
// The supervisor's loop alone uses a Queue, which is not safe for others.
package schedule

import "container/heap"

// Task is what matters of a run.
type Task struct {
	ID    string
	Needs []string // that must end well first
	Slot  bool     // it takes one of the slots
	Group string   // the plan it belongs to, or ""
}

// Blocked is a task that will never start, and the need that is the reason.
type Blocked struct{ ID, Need string }

// Moves is what has become possible.
type Moves struct {
	Start   []string  // from now on they run
	Ready   []string  // all they need is there, and they wait for their turn
	Blocked []Blocked // the caller ends them: End
}

// Queue holds the tasks that wait and those that run.
type Queue struct {
	slots   int
	taken   int
	running int
	tasks   map[string]*task
	needed  map[string][]*task // who waits for an id
	groups  map[string]*group
	ready   []string
	blocked []Blocked
}

type task struct {
	Task
	missing int // needs that have not ended
	blocked bool
	runs    bool
	waiting bool // it is in its group's lines
}

// group is what the tasks of one plan share. The tasks of no plan are one, too.
type group struct {
	most, runs int // most 0: any number
	held       bool
	lines      [2]line // of those that could start: without and with a slot
}

// New returns an empty queue with so many slots.
func New(slots int) *Queue {
	return &Queue{slots: slots, tasks: map[string]*task{}, needed: map[string][]*task{}, groups: map[string]*group{}}
}

// Slots changes how many tasks with a slot may run at once. What runs goes on.
func (q *Queue) Slots(n int) { q.slots = n }

// Limit bounds how many tasks of a group run at once; 0 is no bound.
func (q *Queue) Limit(id string, most int) { q.group(id).most = most }

// Hold keeps a group from starting anything more.
func (q *Queue) Hold(id string) { q.group(id).held = true }

// Forget lets go of a group of which no task is left.
func (q *Queue) Forget(id string) { delete(q.groups, id) }

// Knows reports whether a task waits or runs.
func (q *Queue) Knows(id string) bool { return q.tasks[id] != nil }

// Waits reports whether a task is here and has not been let start.
func (q *Queue) Waits(id string) bool { return q.tasks[id] != nil && !q.tasks[id].runs }

// Waiting is how many tasks are here that have not been let start.
func (q *Queue) Waiting() int { return len(q.tasks) - q.running }

// Taken is how many of the slots are in use, and how many there are.
func (q *Queue) Taken() (taken, slots int) { return q.taken, q.slots }

// Wait adds a task. Of those of its needs that are over already, ended says
// how: true is well. Needs that are not named there are waited for: End tells.
func (q *Queue) Wait(t Task, ended map[string]bool) {
	n := q.add(t)
	seen := map[string]bool{}
	for _, need := range t.Needs {
		well, over := ended[need]
		switch {
		case seen[need]:
		case over && well:
		case over:
			q.block(n, need)
		default:
			n.missing++
			q.needed[need] = append(q.needed[need], n)
		}
		seen[need] = true
	}
	q.settleIn(n)
}

// Run adds a task that runs already, whatever the bounds are.
func (q *Queue) Run(t Task) { q.let(q.add(t)) }

func (q *Queue) add(t Task) *task {
	n := &task{Task: t}
	q.tasks[t.ID] = n
	return n
}

// let has a task run.
func (q *Queue) let(n *task) {
	n.runs, n.waiting = true, false
	q.running++
	q.group(n.Group).runs++
	if n.Slot {
		q.taken++
	}
}

// settleIn puts a task that misses nothing any more where it can be found.
func (q *Queue) settleIn(n *task) {
	if n.missing > 0 || n.blocked || n.waiting || n.runs {
		return
	}
	n.waiting = true
	heap.Push(q.group(n.Group).line(n.Slot), n)
	q.ready = append(q.ready, n.ID)
}

func (q *Queue) block(n *task, need string) {
	if !n.blocked && !n.runs {
		n.blocked = true
		q.blocked = append(q.blocked, Blocked{n.ID, need})
	}
}

// End says that a task is over, whether it ran or not, and how. It may be one
// that was never here but that others need.
func (q *Queue) End(id string, well bool) {
	q.Drop(id)
	for _, n := range q.needed[id] {
		if q.tasks[n.ID] != n {
			continue // it is over itself
		}
		if n.missing--; !well {
			q.block(n, id)
		}
		q.settleIn(n)
	}
	delete(q.needed, id)
}

// Drop forgets a task without telling those that need it.
func (q *Queue) Drop(id string) {
	n := q.tasks[id]
	if n == nil {
		return
	}
	delete(q.tasks, id)
	n.waiting = false // the line passes over it
	g := q.group(n.Group)
	if n.runs {
		q.running--
		g.runs--
		if n.Slot {
			q.taken--
		}
	}
}

// Next returns what has become possible since it was asked last. What it lets
// start it counts as running.
func (q *Queue) Next() (m Moves) {
	for n := q.first(); n != nil; n = q.first() {
		heap.Pop(q.group(n.Group).line(n.Slot))
		q.let(n)
		m.Start = append(m.Start, n.ID)
	}
	for _, id := range q.ready {
		if n := q.tasks[id]; n != nil && n.waiting {
			m.Ready = append(m.Ready, id)
		}
	}
	for _, b := range q.blocked {
		if q.tasks[b.ID] != nil {
			m.Blocked = append(m.Blocked, b)
		}
	}
	q.ready, q.blocked = nil, nil
	return m
}

// first is the next one to start, or nil.
func (q *Queue) first() *task {
	var best *task
	for _, g := range q.groups {
		if g.held || g.most > 0 && g.runs >= g.most {
			continue
		}
		for slot := range g.lines {
			if slot == 1 && q.taken >= q.slots {
				continue
			}
			if n := g.lines[slot].head(); n != nil && (best == nil || n.ID < best.ID) {
				best = n
			}
		}
	}
	return best
}

func (q *Queue) group(id string) *group {
	g := q.groups[id]
	if g == nil {
		g = &group{}
		q.groups[id] = g
	}
	return g
}

func (g *group) line(slot bool) *line {
	if slot {
		return &g.lines[1]
	}
	return &g.lines[0]
}
