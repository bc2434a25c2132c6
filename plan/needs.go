package plan

import (
	"slices"
	"strings"
)

// needs checks the edges.
func (c *checker) needs(p *Plan) {
	c.graph = make(graph, len(p.Tasks))
	for i, t := range p.Tasks {
		c.at(p, i)
		for k, id := range t.Needs {
			to, ok := c.number[id]
			line := t.needLines[k]
			switch {
			case slices.Contains(t.Needs[:k], id):
				c.fault(line, "it needs %q twice", id)
			case !ok:
				c.fault(line, "it needs %q, which is no task%s", id, c.guess(id, c.ids))
			case to == i:
				c.fault(line, "it needs itself")
			default:
				c.graph[i] = append(c.graph[i], to)
			}
		}
	}
	c.task = ""
	for _, cycle := range c.graph.cycles() {
		var path []string
		for _, i := range append(cycle, cycle[0]) {
			path = append(path, p.Tasks[i].ID)
		}
		c.fault(p.Tasks[cycle[0]].Line, "tasks need each other in a cycle: %s", strings.Join(path, " → "))
	}
}
