package plan

import "slices"

// graph is who needs whom, by the numbers of the tasks.
type graph [][]int

// cycles returns, of each group of tasks that all need each other, a shortest
// cycle through its first task.
func (g graph) cycles() (found [][]int) {
	for _, group := range g.groups() {
		if len(group) > 1 {
			found = append(found, g.shortest(group))
		}
	}
	slices.SortFunc(found, func(a, b []int) int { return a[0] - b[0] })
	return found
}

// groups are the strongly connected components, after Tarjan.
func (g graph) groups() [][]int {
	t := tarjan{graph: g, order: make([]int, len(g)), low: make([]int, len(g)), open: make([]bool, len(g))}
	for i := range g {
		if t.order[i] == 0 {
			t.visit(i)
		}
	}
	return t.groups
}

type tarjan struct {
	graph
	order, low []int // from 1; 0: not visited
	open       []bool
	stack      []int
	count      int
	groups     [][]int
}

func (t *tarjan) visit(i int) {
	t.count++
	t.order[i], t.low[i], t.open[i] = t.count, t.count, true
	from := len(t.stack)
	t.stack = append(t.stack, i)
	for _, to := range t.graph[i] {
		if t.order[to] == 0 {
			t.visit(to)
			t.low[i] = min(t.low[i], t.low[to])
		} else if t.open[to] {
			t.low[i] = min(t.low[i], t.order[to])
		}
	}
	if t.low[i] != t.order[i] {
		return
	}
	group := slices.Clone(t.stack[from:])
	t.stack = t.stack[:from]
	for _, member := range group {
		t.open[member] = false
	}
	t.groups = append(t.groups, group)
}

// shortest is a shortest cycle through the first task of a group, which has one.
func (g graph) shortest(group []int) []int {
	first := slices.Min(group)
	from := map[int]int{first: first} // who needs it, on a shortest path from the first
	for queue := []int{first}; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		if slices.Contains(g[i], first) {
			path := []int{i}
			for ; i != first; path = append(path, i) {
				i = from[i]
			}
			slices.Reverse(path)
			return path
		}
		for _, to := range g[i] {
			if _, ok := from[to]; !ok {
				from[to] = i
				queue = append(queue, to)
			}
		}
	}
	return group
}

// leads reports whether one task needs another, directly or by way of others.
// stamps has a place for each task and is used again and again, under another
// mark each time.
func (g graph) leads(from, to int, stamps []int, mark int) bool {
	for todo := []int{from}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, next := range g[i] {
			if next == to {
				return true
			}
			if stamps[next] != mark {
				stamps[next] = mark
				todo = append(todo, next)
			}
		}
	}
	return false
}
