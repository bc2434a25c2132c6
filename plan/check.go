package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// checker collects what is wrong with a plan.
type checker struct {
	faults  []Fault
	task    string         // at which it is
	number  map[string]int // of each task, by its id
	ids     []string
	graph   graph
	stamps  []int // for walks in the graph
	mark    int
	guesses int
}

// at makes faults tell of a task.
func (c *checker) at(p *Plan, i int) {
	if c.task = p.Tasks[i].ID; c.task == "" {
		c.task = Nameless(i)
	}
}

// Nameless is how a task without an id is called, by its number from 0.
func Nameless(i int) string { return "number " + strconv.Itoa(i+1) }

func (c *checker) fault(line int, format string, args ...any) {
	c.faults = append(c.faults, Fault{line, c.task, fmt.Sprintf(format, args...)})
}

// told is all of it in the file's order.
func (c *checker) told() Faults {
	slices.SortStableFunc(c.faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return c.faults
}

var planFields = []string{"name", "limits", "defaults", "tasks"}

func (c *checker) plan(root *node) *Plan {
	p := &Plan{}
	if root.kind != mapping {
		c.fault(root.line, "a plan is a mapping with tasks, but this is %s", root.what())
		return p
	}
	var tasks *node
	c.fields(root, planFields, func(name string, e entry) bool {
		switch name {
		case "name":
			p.Name, _ = c.text(e)
		case "limits":
			p.Limits = c.limits(e)
		case "defaults":
			p.Defaults = c.defaults(e)
		case "tasks":
			tasks = e.value
		default:
			return false
		}
		return true
	})
	switch {
	case tasks == nil || tasks.kind == nothing || tasks.kind == list && len(tasks.items) == 0:
		c.fault(root.line, "there are no tasks")
	case tasks.kind != list:
		c.fault(tasks.line, "tasks is %s, but has to be a list", tasks.what())
	case len(tasks.items) > maxTasks:
		c.fault(tasks.line, "there are %d tasks, at most %d are accepted", len(tasks.items), maxTasks)
	default:
		c.tasks(p, tasks.items)
	}
	return p
}

// fields calls take with each field of a mapping by its flag's name and tells
// of those that it does not take, and of repetitions.
func (c *checker) fields(n *node, known []string, take func(string, entry) bool) {
	seen := map[string]bool{}
	for _, e := range n.entries {
		name := flagName(e.key)
		switch {
		case seen[name]:
			c.fault(e.line, "%s is there twice", e.key)
		case !take(name, e):
			c.fault(e.line, "there is no field %q%s", e.key, c.guess(e.key, known))
		}
		seen[name] = true
	}
}

// flagName is the flag that a field means: maxTurns is max-turns.
func flagName(field string) string {
	var b strings.Builder
	for i, r := range field {
		if r >= 'A' && r <= 'Z' && i > 0 {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// text is a single value. NUL cannot be written down or passed on.
func (c *checker) text(e entry) (string, bool) {
	if e.value.kind != scalar {
		c.fault(e.line, "%s is %s, but has to be a single value", e.key, e.value.what())
		return "", false
	}
	if strings.ContainsRune(e.value.text, 0) {
		c.fault(e.line, "%s contains a NUL character", e.key)
		return "", false
	}
	return e.value.text, true
}

// list is a list of single values; alone says that one may stand for itself.
func (c *checker) list(e entry, alone bool) (texts []string, ok bool) {
	items := e.value.items
	switch {
	case alone && e.value.kind == scalar:
		items = []*node{e.value}
	case e.value.kind != list:
		c.fault(e.line, "%s is %s, but has to be a list", e.key, e.value.what())
		return nil, false
	}
	ok = true
	for i, item := range items {
		t, one := c.text(entry{e.key + "[" + strconv.Itoa(i) + "]", item.line, item})
		texts, ok = append(texts, t), ok && one
	}
	return texts, ok
}

var limitFields = []string{"concurrency", "duration", "tokens", "cost"}

func (c *checker) limits(e entry) (l Limits) {
	if e.value.kind != mapping {
		c.fault(e.line, "limits is %s, but has to be a mapping with %s", e.value.what(), strings.Join(limitFields, ", "))
		return l
	}
	c.fields(e.value, limitFields, func(name string, e entry) bool {
		to := map[string]*Value{"concurrency": &l.Concurrency, "duration": &l.Duration, "tokens": &l.Tokens, "cost": &l.Cost}[name]
		if to == nil {
			return false
		}
		if t, ok := c.text(e); ok {
			*to = Value{t, e.line}
		}
		return true
	})
	return l
}
