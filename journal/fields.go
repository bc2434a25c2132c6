package journal

// fielded returns a record that has a list of its fields.
func fielded(record any) (fielder, bool) {
	switch r := record.(type) {
	case fielder:
		return r, true
	case Launch:
		return &r, true
	case Command:
		return &r, true
	case Admission:
		return &r, true
	case Process:
		return &r, true
	case Stop:
		return &r, true
	case Exit:
		return &r, true
	case Result:
		return &r, true
	case Event:
		return &r, true
	}
	return nil, false
}

func (r *Launch) fields(c *codec) {
	number(c, "version", &r.Version, false)
	c.text("id", &r.ID, false)
	c.text("rootId", &r.RootID, false)
	c.text("predecessor", &r.Predecessor, optional)
	number(c, "index", &r.Index, optional)
	c.text("name", &r.Name, optional)
	c.text("owner", &r.Owner, false)
	c.text("cwd", &r.Cwd, false)
	within(c, "program", &r.Program)
	within(c, "stdin", &r.Stdin)
	c.text("context", &r.Context, false)
	within(c, "limits", &r.Limits)
	c.text("tree", &r.Tree, false)
	number(c, "umask", &r.Umask, false)
	list(c, "rlimits", &r.Rlimits, optional, inner)
	pointer(c, "priority", &r.Priority, optional, inner)
	pointer(c, "agent", &r.Agent, optional, inner)
	c.text("envFile", &r.EnvFile, optional)
	c.flag("queue", &r.Queue)
	list(c, "needs", &r.Needs, optional, (*codec).str)
	rare(c, "plan", &r.Plan, r.Plan == nil)
	c.text("planId", &r.PlanID, optional)
	c.text("task", &r.Task, optional)
	c.text("partOf", &r.PartOf, optional)
	rare(c, "verify", &r.Verify, r.Verify == nil)
	within(c, "asker", &r.Asker)
	c.stamp("createdAt", &r.CreatedAt)
	c.text("runId", &r.RunID, optional)
	c.text("action", &r.Action, optional)
	c.text("actor", &r.Actor, optional)
}

func (r *Program) fields(c *codec) {
	c.text("runtime", &r.Runtime, false)
	list(c, "argv", &r.Argv, false, (*codec).str)
	list(c, "env", &r.EnvNames, false, (*codec).str)
}

func (r *Stdin) fields(c *codec) {
	c.text("mode", &r.Mode, false)
	c.text("path", &r.Path, optional)
}

func (r *Limits) fields(c *codec) {
	number(c, "maxDurationMs", &r.MaxDurationMS, optional)
	number(c, "maxQueueWaitMs", &r.MaxQueueWaitMS, optional)
	number(c, "graceMs", &r.GraceMS, false)
	number(c, "maxOutputBytes", &r.MaxOutputBytes, optional)
	number(c, "maxMemoryBytes", &r.MaxMemoryBytes, optional)
	number(c, "maxProcesses", &r.MaxProcesses, optional)
	number(c, "startupMs", &r.StartupMS, optional)
	number(c, "idleMs", &r.IdleMS, optional)
	number(c, "maxTurns", &r.MaxTurns, optional)
	number(c, "reservedTurns", &r.ReservedTurns, optional)
	number(c, "maxTokens", &r.MaxTokens, optional)
	rare(c, "maxCostUsd", &r.MaxCostUSD, r.MaxCostUSD == 0)
}

func (r *Rlimit) fields(c *codec) {
	number(c, "resource", &r.Resource, false)
	number(c, "cur", &r.Cur, false)
	number(c, "max", &r.Max, false)
}

func (r *Priority) fields(c *codec) {
	number(c, "nice", &r.Nice, optional)
	c.text("cpus", &r.CPUs, optional)
	number(c, "ioprio", &r.IOPrio, optional)
	number(c, "oomScoreAdj", &r.OOMScoreAdj, optional)
}

func (r *Agent) fields(c *codec) {
	c.text("prompt", &r.Prompt, false)
	c.text("model", &r.Model, optional)
	c.text("thinking", &r.Thinking, optional)
	c.text("systemPrompt", &r.SystemPrompt, optional)
	list(c, "tools", &r.Tools, optional, (*codec).str)
	c.text("permission", &r.Permission, false)
	c.text("sessionId", &r.SessionID, optional)
	c.text("sessionFile", &r.SessionFile, optional)
	c.text("version", &r.Version, optional)
}

func (r *Identity) fields(c *codec) {
	c.text("bootId", &r.BootID, false)
	number(c, "pid", &r.PID, false)
	number(c, "startTicks", &r.StartTicks, false)
}

func (r *Command) fields(c *codec) {
	number(c, "version", &r.Version, false)
	c.text("id", &r.ID, false)
	c.text("runId", &r.RunID, optional)
	c.text("action", &r.Action, false)
	c.text("actor", &r.Actor, false)
	c.flag("force", &r.Force)
	c.text("incarnation", &r.Incarnation, optional)
	c.text("text", &r.Text, optional)
	c.flag("eof", &r.EOF)
	c.text("question", &r.Question, optional)
	pointer(c, "graceMs", &r.GraceMS, optional, digits)
	pointer(c, "asker", &r.Asker, optional, inner)
	c.stamp("createdAt", &r.CreatedAt)
}

func (r *Admission) fields(c *codec) {
	number(c, "version", &r.Version, false)
	c.text("id", &r.ID, false)
	c.text("action", &r.Action, false)
	c.text("runId", &r.RunID, optional)
	c.text("state", &r.State, false)
	c.flag("queued", &r.Queued)
	c.text("reason", &r.Reason, optional)
	c.stamp("at", &r.At)
}

func (r *Process) fields(c *codec) {
	number(c, "version", &r.Version, false)
	c.text("id", &r.ID, false)
	number(c, "pid", &r.PID, false)
	within(c, "identity", &r.Identity)
	c.text("token", &r.Token, false)
	within(c, "shim", &r.Shim)
	number(c, "pgid", &r.PGID, false)
	number(c, "sid", &r.SID, false)
	c.text("cgroup", &r.Cgroup, optional)
	c.stamp("startedAt", &r.StartedAt)
	number(c, "asleepMs", &r.AsleepMS, optional)
}

func (r *Shim) fields(c *codec) {
	number(c, "pid", &r.PID, false)
	within(c, "identity", &r.Identity)
}

func (r *Stop) fields(c *codec) {
	number(c, "version", &r.Version, false)
	c.text("id", &r.ID, false)
	c.text("cause", &r.Cause, false)
	c.text("reason", &r.Reason, optional)
	c.text("commandId", &r.CommandID, optional)
	number(c, "graceMs", &r.GraceMS, false)
	c.stamp("at", &r.At)
}

func (r *Exit) fields(c *codec) {
	number(c, "version", &r.Version, false)
	c.text("id", &r.ID, false)
	number(c, "pid", &r.PID, false)
	pointer(c, "code", &r.Code, false, digits)
	pointer(c, "signal", &r.Signal, false, digits)
	c.text("signalName", &r.SignalName, optional)
	c.flag("coreDumped", &r.CoreDumped)
	c.stamp("at", &r.At)
	c.text("observed", &r.Observed, false)
	c.text("tree", &r.Tree, false)
	list(c, "leftovers", &r.Leftovers, false, inner)
	pointer(c, "rusage", &r.Rusage, optional, inner)
	pointer(c, "launchError", &r.LaunchError, optional, inner)
	number(c, "oomKills", &r.OOMKills, optional)
	number(c, "forksDenied", &r.ForksDenied, optional)
}

func (r *Leftover) fields(c *codec) {
	number(c, "pid", &r.PID, false)
	number(c, "startTicks", &r.StartTicks, optional)
	c.text("name", &r.Name, false)
	if c.field("cleared", false, false) {
		c.boolean(&r.Cleared)
	}
}

func (r *Rusage) fields(c *codec) {
	number(c, "userMs", &r.UserMS, false)
	number(c, "systemMs", &r.SystemMS, false)
	number(c, "maxRssKb", &r.MaxRSSKB, false)
}

func (r *LaunchError) fields(c *codec) {
	c.text("stage", &r.Stage, false)
	number(c, "errno", &r.Errno, optional)
	c.text("message", &r.Message, false)
}

func (r *Result) fields(c *codec) {
	number(c, "version", &r.Version, false)
	c.text("id", &r.ID, false)
	c.text("owner", &r.Owner, false)
	c.text("status", &r.Status, false)
	c.text("cause", &r.Cause, optional)
	c.text("error", &r.Error, optional)
	pointer(c, "finalText", &r.FinalText, optional, (*codec).str)
	rare(c, "conversation", &r.Talk, r.Talk == nil)
	rare(c, "lifeUsage", &r.LifeUsage, r.LifeUsage == nil)
	rare(c, "verified", &r.Verified, len(r.Verified) == 0)
	list(c, "followUps", &r.FollowUps, optional, (*codec).str)
	rare(c, "tasks", &r.Tasks, len(r.Tasks) == 0)
	c.stamp("endedAt", &r.EndedAt)
}

func (r *Event) fields(c *codec) {
	number(c, "version", &r.Version, false)
	c.stamp("at", &r.At)
	c.text("runId", &r.RunID, false)
	c.text("owner", &r.Owner, optional)
	c.text("type", &r.Type, false)
	c.text("command", &r.Command, optional)
	c.text("cause", &r.Cause, optional)
	c.text("status", &r.Status, optional)
	c.text("signal", &r.Signal, optional)
	number(c, "pid", &r.PID, optional)
	number(c, "bytes", &r.Bytes, optional)
	c.text("error", &r.Error, optional)
	c.text("question", &r.Question, optional)
	c.text("part", &r.Part, optional)
	c.text("file", &r.File, optional)
	list(c, "settings", &r.Settings, optional, (*codec).str)
}
