package plan

import (
	"slices"

	"github.com/agent-runs/agent-runs/internal/placeholder"
)

// placeholders checks that each stands for something the task waits for.
func (c *checker) placeholders(p *Plan) {
	for i, t := range p.Tasks {
		c.at(p, i)
		told := map[placeholder.Ref]bool{}
		for _, text := range append([]string{t.Prompt}, t.Command...) {
			for _, r := range placeholder.Refs(text) {
				if !told[r] {
					told[r] = true
					c.placeholder(p, i, r)
				}
			}
		}
	}
	c.task = ""
}

func (c *checker) placeholder(p *Plan, i int, r placeholder.Ref) {
	t := p.Tasks[i]
	to, known := c.number[r.ID]
	switch {
	case r.ID == "" && len(t.Needs) == 0:
		c.fault(t.workLine, "%v stands for what a task needs, but this one needs nothing", r)
	case r.ID == "":
	case !known:
		c.fault(t.workLine, "%v: there is no task %q%s", r, r.ID, c.guess(r.ID, c.ids))
	case !slices.Contains(c.graph[i], to) && !c.leads(i, to):
		c.fault(t.workLine, "%v: %q is not among its needs, directly or by way of others", r, r.ID)
	}
}

func (c *checker) leads(from, to int) bool {
	if c.stamps == nil {
		c.stamps = make([]int, len(c.graph))
	}
	c.mark++
	return c.graph.leads(from, to, c.stamps, c.mark)
}
