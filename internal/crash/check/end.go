package check

// judged: what is said about the end is what happened (P6).
func (c *checker) judged(id string, r run) {
	d, res := c.deeds[id], r.result
	if res == nil {
		return
	}
	if r.exit != nil {
		c.exact(id, r)
	}
	started, ordered := len(d.starts) > 0, c.ordered(id, r)
	switch {
	case res.Status == "stopped" && !ordered:
		c.violate("P6", "run %s is called stopped and nobody asked", id)
	case ordered && started && d.end == nil && !c.ChildKilled[id] && res.Status != "stopped":
		c.violate("P6", "run %s was stopped by order and is called %s (%s)", id, res.Status, res.Cause)
	case res.Cause == "lost" && !c.ShimKilled[id]:
		c.violate("P6", "run %s is called lost and its shim was never killed", id)
	case res.Cause == "spawn" && started:
		c.violate("P6", "run %s executed and is called not started", id)
	case res.Status == "completed" && (d.end == nil || *d.end != 0):
		if started {
			c.violate("P6", "run %s is called completed and did not end so", id)
		}
	}
	if r.exit == nil && started && !c.ShimKilled[id] {
		c.violate("P6", "run %s executed and has no exit record", id)
	}
}

// ordered says whether the run was to be ended: by somebody or by its limit.
func (c *checker) ordered(id string, r run) bool {
	return c.Stopped[id] || r.launch != nil && r.launch.Limits.MaxDurationMS > 0
}

// exact compares code and signal with the child's own word.
func (c *checker) exact(id string, r run) {
	d, e := c.deeds[id], r.exit
	if !d.watched() && r.launch != nil && !r.launch.isChild() {
		return // an ordinary program that keeps no witness
	}
	switch {
	case e.Code != nil && e.Signal != nil:
		c.violate("P6", "run %s has code and signal", id)
	case e.LaunchError != nil && len(d.starts) > 0:
		c.violate("P6", "run %s executed and has a launch error", id)
	case e.Code != nil && (d.end == nil || *d.end != *e.Code):
		c.violate("P6", "run %s is said to have ended with code %d, the child says %s", id, *e.Code, d.ending())
	case e.Signal != nil && !c.ChildKilled[id] && !c.ordered(id, r):
		c.violate("P6", "run %s is said to have ended by signal %d, and nobody sent one", id, *e.Signal)
	case e.Signal != nil && *e.Signal != 9 && *e.Signal != 15:
		c.violate("P6", "run %s is said to have ended by signal %d", id, *e.Signal)
	case e.Code == nil && e.Signal == nil && e.LaunchError == nil && !c.ShimKilled[id]:
		c.violate("P6", "the end of run %s is not known (%s), and its shim was never killed", id, e.Observed)
	}
}

// cleared: what is called empty is empty (P7).
func (c *checker) cleared(id string, r run) {
	if r.exit == nil {
		return
	}
	if r.exit.Tree != "empty" {
		if !c.ShimKilled[id] {
			c.violate("P7", "run %s is called %s, and its shim was never killed", id, r.exit.Tree)
		}
		return
	}
	for _, m := range append(c.deeds[id].members, c.deeds[id].starts...) {
		if alive(m) {
			c.violate("P7", "run %s is called empty and pid %d is alive", id, m.pid)
		}
	}
	for _, pid := range marked(id) {
		c.violate("P7", "run %s is called empty and pid %d carries its mark", id, pid)
	}
}
