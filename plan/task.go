package plan

import (
	"slices"
	"strings"
)

func (c *checker) defaults(e entry) Options {
	o := Options{}
	if e.value.kind != mapping {
		c.fault(e.line, "defaults is %s, but has to be a mapping of options", e.value.what())
		return o
	}
	c.fields(e.value, optionNames(), func(name string, e entry) bool {
		if name == "name" {
			c.fault(e.line, "a name is one task's and no default")
			return true
		}
		return c.option(&o, name, e)
	})
	return o
}

// tasks reads all tasks, then knows their ids.
func (c *checker) tasks(p *Plan, items []*node) {
	known := append([]string{"id", "needs", "prompt", "command"}, optionNames()...)
	c.number = make(map[string]int, len(items))
	for i, n := range items {
		t := c.one(n, i, known)
		if first, ok := c.number[t.ID]; ok {
			c.fault(t.Line, "the task in line %d has the same id", p.Tasks[first].Line)
		} else if t.ID != "" {
			c.number[t.ID] = i
			c.ids = append(c.ids, t.ID)
		}
		p.Tasks = append(p.Tasks, t)
	}
	c.task = ""
}

func (c *checker) one(n *node, i int, known []string) Task {
	t := Task{Line: n.line}
	c.task = Nameless(i)
	if n.kind != mapping {
		c.fault(n.line, "it is %s, but has to be a mapping with an id", n.what())
		return t
	}
	t.ID = c.id(n)
	var prompt, command bool
	c.fields(n, known, func(name string, e entry) bool {
		switch name {
		case "id": // read before all else: it says where we are
		case "needs":
			t.Needs, t.needLines = c.needed(e)
		case "prompt":
			prompt, t.workLine = true, e.line
			t.Prompt, _ = c.text(e)
			if strings.TrimSpace(t.Prompt) == "" && e.value.kind == scalar {
				c.fault(e.line, "the prompt is empty")
			}
		case "command":
			command, t.workLine = true, e.line
			t.Command = c.command(e)
		default:
			return c.option(&t.Options, name, e)
		}
		return true
	})
	switch {
	case prompt && command:
		c.fault(n.line, "there are a prompt and a command, but a task has one of them")
	case !prompt && !command:
		c.fault(n.line, "there is nothing to do: neither a prompt nor a command")
	}
	return t
}

// needed are the ids of what a task needs, each with its line.
func (c *checker) needed(e entry) (ids []string, lines []int) {
	ids, ok := c.list(e, true)
	if !ok {
		return nil, nil
	}
	items := e.value.items
	if e.value.kind == scalar {
		items = []*node{e.value}
	}
	for _, item := range items {
		lines = append(lines, item.line)
	}
	return ids, lines
}

// id is the id of a task, by which it is called from then on.
func (c *checker) id(n *node) string {
	at := slices.IndexFunc(n.entries, func(e entry) bool { return e.key == "id" })
	if at < 0 {
		c.fault(n.line, "it has no id")
		return ""
	}
	e := n.entries[at]
	id, ok := c.text(e)
	switch {
	case !ok:
		return ""
	case id == "":
		c.fault(e.line, "its id is empty")
	case len(id) > maxID:
		c.fault(e.line, "its id has %d bytes, at most %d are accepted", len(id), maxID)
	case !plain(id):
		c.fault(e.line, "its id %q is no plain word: letters, digits, dots, dashes and underscores are accepted", id)
	default:
		c.task = id
		return id
	}
	return ""
}

// plain words mean themselves in a placeholder, a name and a table.
func plain(id string) bool {
	return strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

func (c *checker) command(e entry) []string {
	if e.value.kind == scalar {
		c.fault(e.line, `command is a single value, but has to be a list: a shell is asked for by ["sh", "-c", "…"]`)
		return nil
	}
	argv, ok := c.list(e, false)
	if ok && (len(argv) == 0 || argv[0] == "") {
		c.fault(e.line, "the command is empty")
	}
	return argv
}

// option reads an option, or returns false where there is none of that name.
func (c *checker) option(o *Options, name string, e entry) bool {
	for _, known := range options {
		if known.name != name {
			continue
		}
		if texts, ok := c.value(known.shape, e); ok {
			if o.values == nil {
				o.values = map[string]value{}
			}
			o.values[name] = value{e.line, e.key, texts}
		}
		return true
	}
	return false
}

func (c *checker) value(s shape, e entry) (texts []string, ok bool) {
	switch s {
	case words:
		return c.list(e, true)
	case pairs:
		return c.pairs(e)
	}
	t, ok := c.text(e)
	if ok && s == flag && t != "true" && t != "false" {
		c.fault(e.line, "%s is %q, but true and false are accepted", e.key, t)
		return nil, false
	}
	return []string{t}, ok
}

func (c *checker) pairs(e entry) (texts []string, ok bool) {
	if e.value.kind != mapping {
		c.fault(e.line, "%s is %s, but has to be a mapping of names to values", e.key, e.value.what())
		return nil, false
	}
	ok = true
	seen := map[string]bool{}
	for _, pair := range e.value.entries {
		if pair.key == "" || strings.ContainsAny(pair.key, "=\x00") || seen[pair.key] {
			c.fault(pair.line, "%s names %q, which is no name of a variable or there twice", e.key, pair.key)
			ok = false
		}
		seen[pair.key] = true
		t, one := c.text(entry{e.key + "." + pair.key, pair.line, pair.value})
		texts, ok = append(texts, pair.key+"="+t), ok && one
	}
	return texts, ok
}
