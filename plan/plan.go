package plan

// Bounds of a plan.
const (
	MaxBytes = 16 << 20 // of the file
	maxTasks = 10_000
	maxID    = 100 // bytes
)

// Plan is a plan that was checked.
type Plan struct {
	Name     string // "": it has none
	Limits   Limits
	Defaults Options
	Tasks    []Task // in the file's order
}

// Limits bound all tasks together, as they were typed; "" is no limit.
type Limits struct{ Concurrency, Duration, Tokens, Cost Value }

// Value is something typed, and where. Line is 0 where nothing was.
type Value struct {
	Text string
	Line int
}

// Task is one task of a plan: either Prompt or Command is set.
type Task struct {
	ID      string
	Line    int
	Needs   []string // ids, in the file's order
	Prompt  string
	Command []string
	Options

	needLines []int // of each of Needs
	workLine  int   // of the prompt or command
}

// Parse reads a plan in YAML or JSON and checks it whole. The error is Faults;
// with it comes as much of the plan as could be read, for whoever has more to
// tell of it, or nil.
func Parse(body []byte) (*Plan, error) {
	root, fault := read(body)
	if fault != nil {
		return nil, Faults{*fault}
	}
	c := &checker{}
	p := c.plan(root)
	c.needs(p)
	c.placeholders(p)
	if len(c.faults) > 0 {
		return p, c.told()
	}
	return p, nil
}
