package schedule_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/supervisor/schedule"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// reference is the same in the plainest words: it looks at everything again
// whenever it is asked.
type reference struct {
	slots   int
	most    map[string]int
	held    map[string]bool
	waiting map[string]schedule.Task
	running map[string]schedule.Task
	over    map[string]bool // well or not
	told    map[string]bool // ready or blocked was said
}

func newReference(slots int) *reference {
	return &reference{slots: slots, most: map[string]int{}, held: map[string]bool{}, waiting: map[string]schedule.Task{},
		running: map[string]schedule.Task{}, over: map[string]bool{}, told: map[string]bool{}}
}

func (r *reference) count(yes func(schedule.Task) bool) (n int) {
	for _, t := range r.running {
		if yes(t) {
			n++
		}
	}
	return n
}

func (r *reference) may(t schedule.Task) bool {
	if r.held[t.Group] || r.most[t.Group] > 0 && r.count(func(o schedule.Task) bool { return o.Group == t.Group }) >= r.most[t.Group] {
		return false
	}
	return !t.Slot || r.count(func(o schedule.Task) bool { return o.Slot }) < r.slots
}

func (r *reference) there(t schedule.Task) bool {
	return !slices.ContainsFunc(t.Needs, func(n string) bool { return !r.over[n] })
}

func (r *reference) lacks(t schedule.Task) bool {
	return slices.ContainsFunc(t.Needs, func(n string) bool { well, over := r.over[n]; return over && !well })
}

func (r *reference) ids() []string {
	var ids []string
	for id := range r.waiting {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (r *reference) next() (start, ready, blocked []string) {
	for again := true; again; {
		again = false
		for _, id := range r.ids() {
			if t := r.waiting[id]; r.there(t) && r.may(t) {
				delete(r.waiting, id)
				r.running[id] = t
				start, again = append(start, id), true
				break
			}
		}
	}
	for _, id := range r.ids() {
		t := r.waiting[id]
		switch {
		case r.told[id]:
		case r.lacks(t):
			r.told[id], blocked = true, append(blocked, id)
		case r.there(t):
			r.told[id], ready = true, append(ready, id)
		}
	}
	return start, ready, blocked
}

// TestAgainstReference: any interleaving of new tasks, ends, stops, changed
// bounds, and restarts in which all is learned anew from what is known to run,
// wait and be over.
func TestAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ref := newReference(rapid.IntRange(1, 3).Draw(t, "slots"))
		q := schedule.New(ref.slots)
		made := 0
		groups := []string{"", "p", "q"}
		ended := func(needs []string) map[string]bool {
			m := map[string]bool{}
			for _, n := range needs {
				if well, over := ref.over[n]; over {
					m[n] = well
				}
			}
			return m
		}
		pick := func(from map[string]schedule.Task, what string) string {
			var ids []string
			for id := range from {
				ids = append(ids, id)
			}
			if len(ids) == 0 {
				t.Skip()
			}
			slices.Sort(ids)
			return rapid.SampledFrom(ids).Draw(t, what)
		}
		t.Repeat(map[string]func(*rapid.T){
			"new": func(t *rapid.T) {
				n := schedule.Task{ID: fmt.Sprintf("%04d", made), Slot: rapid.Bool().Draw(t, "slot"), Group: rapid.SampledFrom(groups).Draw(t, "group")}
				for range rapid.IntRange(0, 3).Draw(t, "needs") {
					if made > 0 {
						n.Needs = append(n.Needs, fmt.Sprintf("%04d", rapid.IntRange(0, made-1).Draw(t, "need")))
					}
				}
				made++
				if len(n.Needs) == 0 && rapid.IntRange(0, 4).Draw(t, "at once") == 0 {
					ref.running[n.ID] = n
					q.Run(n)
					return
				}
				ref.waiting[n.ID] = n
				q.Wait(n, ended(n.Needs))
			},
			"end": func(t *rapid.T) {
				id := pick(ref.running, "which")
				well := rapid.Bool().Draw(t, "well")
				delete(ref.running, id)
				ref.over[id] = well
				q.End(id, well)
			},
			"stop": func(t *rapid.T) {
				id := pick(ref.waiting, "which")
				delete(ref.waiting, id)
				ref.over[id] = false
				q.End(id, false)
			},
			"slots": func(t *rapid.T) {
				ref.slots = rapid.IntRange(1, 3).Draw(t, "slots")
				q.Slots(ref.slots)
			},
			"limit": func(t *rapid.T) {
				g := rapid.SampledFrom(groups[1:]).Draw(t, "group")
				if ref.count(func(o schedule.Task) bool { return o.Group == g }) == 0 {
					t.Skip()
				}
				ref.most[g] = rapid.IntRange(1, 2).Draw(t, "most")
				q.Limit(g, ref.most[g])
			},
			"restart": func(*rapid.T) {
				q = schedule.New(ref.slots)
				for _, task := range ref.running {
					q.Run(task)
				}
				clear(ref.told)
				for _, id := range ref.ids() {
					q.Wait(ref.waiting[id], ended(ref.waiting[id].Needs))
				}
				for g, most := range ref.most {
					q.Limit(g, most)
				}
			},
			"": func(t *rapid.T) {
				start, ready, blocked := ref.next()
				m := q.Next()
				require.Equal(t, start, m.Start)
				slices.Sort(m.Ready)
				require.Equal(t, ready, m.Ready)
				var ids []string
				for _, b := range m.Blocked {
					ids = append(ids, b.ID)
					well, over := ref.over[b.Need]
					require.True(t, over && !well, "the reason %s of %s", b.Need, b.ID)
				}
				slices.Sort(ids)
				require.Equal(t, blocked, ids)
				taken, _ := q.Taken()
				require.Equal(t, ref.count(func(o schedule.Task) bool { return o.Slot }), taken)
				again := q.Next()
				require.Empty(t, again.Start, "nothing has happened since")
			},
		})
	})
}

func TestAPlanWaitsForItsOwnAndNobodyElseDoes(t *testing.T) {
	q := schedule.New(1)
	q.Run(schedule.Task{ID: "a", Slot: true})
	q.Wait(schedule.Task{ID: "b", Slot: true}, nil)
	q.Wait(schedule.Task{ID: "c"}, nil)
	q.Wait(schedule.Task{ID: "d", Needs: []string{"b"}}, nil)
	require.Equal(t, schedule.Moves{Start: []string{"c"}, Ready: []string{"b"}}, q.Next())
	q.End("a", false)
	require.Equal(t, schedule.Moves{Start: []string{"b"}}, q.Next())
	q.End("b", false)
	require.Equal(t, schedule.Moves{Blocked: []schedule.Blocked{{ID: "d", Need: "b"}}}, q.Next())
}

func TestAHeldGroupStartsNothing(t *testing.T) {
	q := schedule.New(1)
	q.Wait(schedule.Task{ID: "a", Group: "p"}, nil)
	q.Hold("p")
	require.Empty(t, q.Next().Start)
	q.End("a", false)
	require.False(t, q.Knows("a"))
}

// TestManyTasks: what the queue itself costs for a big plan is nothing beside
// the launches.
func TestManyTasks(t *testing.T) {
	const tasks, edges = 1000, 5
	q, began := schedule.New(4), time.Now()
	for i := range tasks {
		n := schedule.Task{ID: fmt.Sprintf("%04d", i), Slot: true, Group: "p"}
		for e := range min(i, edges) {
			n.Needs = append(n.Needs, fmt.Sprintf("%04d", (i*7+e*13)%i))
		}
		q.Wait(n, nil)
	}
	done := 0
	for m := q.Next(); len(m.Start) > 0; m = q.Next() {
		for _, id := range m.Start {
			q.End(id, true)
			done++
		}
	}
	require.Equal(t, tasks, done)
	t.Logf("%d tasks with %d edges in %v", tasks, tasks*edges, time.Since(began))
}
