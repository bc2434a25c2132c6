package settings

import "github.com/agent-runs/agent-runs/journal"

// limit is one of the limits of a run, which has a default and a ceiling.
type limit struct {
	name        string
	kind        Kind
	fallback    string // the default of agent runs
	least, most float64
	doc         string
	bounds      whom
	zero        bool // zero is a value; of the others it means that there is no limit
	get         func(*journal.Limits) float64
	set         func(*journal.Limits, float64)
}

// whom a limit bounds.
type whom int

const (
	agents  whom = iota
	all          // plain commands as well
	waiting      // whoever waits in the queue
)

// limits are all there are. In a run's record zero means none, except for the
// grace and the reserved turns.
var limits = []limit{
	{"turns", Count, "30", 1, mostTurns, "calls of its model", agents, false,
		func(l *journal.Limits) float64 { return float64(l.MaxTurns) }, func(l *journal.Limits, v float64) { l.MaxTurns = int(v) }},
	{"reservedTurns", Count, "2", 0, mostTurns, "the last of its turns, before which it is asked to wrap up", agents, true,
		func(l *journal.Limits) float64 { return float64(l.ReservedTurns) }, func(l *journal.Limits, v float64) { l.ReservedTurns = int(v) }},
	{"duration", Span, "30m", 1, mostSpan, "how long it may run", all, false,
		func(l *journal.Limits) float64 { return float64(l.MaxDurationMS) }, func(l *journal.Limits, v float64) { l.MaxDurationMS = int64(v) }},
	{"queueWait", Span, "15m", 1, mostSpan, "how long it may wait before it starts", waiting, false,
		func(l *journal.Limits) float64 { return float64(l.MaxQueueWaitMS) }, func(l *journal.Limits, v float64) { l.MaxQueueWaitMS = int64(v) }},
	{"grace", Span, "5s", 0, mostSpan, "the time between TERM and KILL when it is stopped", all, true,
		func(l *journal.Limits) float64 { return float64(l.GraceMS) }, func(l *journal.Limits, v float64) { l.GraceMS = int64(v) }},
	{"startup", Span, "1m", 1, mostSpan, "how long it may take until it takes a prompt", agents, false,
		func(l *journal.Limits) float64 { return float64(l.StartupMS) }, func(l *journal.Limits, v float64) { l.StartupMS = int64(v) }},
	{"idle", Span, "10m", 1, mostSpan, "how long it may show no sign of life", agents, false,
		func(l *journal.Limits) float64 { return float64(l.IdleMS) }, func(l *journal.Limits, v float64) { l.IdleMS = int64(v) }},
	{"tokens", Count, "", 1, mostCount, "the tokens it may use, those read from a cache aside", agents, false,
		func(l *journal.Limits) float64 { return float64(l.MaxTokens) }, func(l *journal.Limits, v float64) { l.MaxTokens = int64(v) }},
	{"cost", Dollars, "", leastCost, mostCost, "what it may cost, in US dollars", agents, false,
		func(l *journal.Limits) float64 { return l.MaxCostUSD }, func(l *journal.Limits, v float64) { l.MaxCostUSD = v }},
	{"output", Size, "", 1, mostCount, "how much it may write, of both streams together", all, false,
		func(l *journal.Limits) float64 { return float64(l.MaxOutputBytes) }, func(l *journal.Limits, v float64) { l.MaxOutputBytes = int64(v) }},
	{"memory", Size, "", journal.LeastMemory, mostCount, "the memory of its whole tree; needs cgroup v2", all, false,
		func(l *journal.Limits) float64 { return float64(l.MaxMemoryBytes) }, func(l *journal.Limits, v float64) { l.MaxMemoryBytes = int64(v) }},
	{"processes", Count, "", 1, journal.MostProcesses, "the processes and threads of its whole tree; needs cgroup v2", all, false,
		func(l *journal.Limits) float64 { return float64(l.MaxProcesses) }, func(l *journal.Limits, v float64) { l.MaxProcesses = int64(v) }},
}
