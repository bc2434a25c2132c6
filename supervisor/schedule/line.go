package schedule

import "container/heap"

// line is a heap of tasks that could start, the smallest id first. Those that
// have left the queue meanwhile are passed over when they come to its head.
type line []*task

func (l line) Len() int           { return len(l) }
func (l line) Less(i, j int) bool { return l[i].ID < l[j].ID }
func (l line) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

// Push and Pop are for container/heap.
func (l *line) Push(x any) { *l = append(*l, x.(*task)) }

// Pop is described with Push.
func (l *line) Pop() any {
	last := len(*l) - 1
	n := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	return n
}

func (l *line) head() *task {
	for len(*l) > 0 && !(*l)[0].waiting {
		heap.Pop(l)
	}
	if len(*l) == 0 {
		return nil
	}
	return (*l)[0]
}
