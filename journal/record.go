package journal

import "time"

// Version is the record version this program writes and the newest it reads.
const Version = 1

// Identity names one process for ever: no two processes share boot id, pid
// and start time. StartTicks is field 22 of /proc/PID/stat in clock ticks
// since boot on Linux; elsewhere the kernel's start time in microseconds.
// It never holds a wall-clock time that moves when the clock is set.
type Identity struct {
	BootID     string `json:"bootId"`
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"startTicks"`
}

// Limits bound one run. Zero means no limit, except Grace, whose zero means
// that KILL follows TERM at once. Durations are milliseconds, sizes bytes.
type Limits struct {
	MaxDurationMS  int64 `json:"maxDurationMs,omitempty"`
	MaxQueueWaitMS int64 `json:"maxQueueWaitMs,omitempty"`
	GraceMS        int64 `json:"graceMs"`
	MaxOutputBytes int64 `json:"maxOutputBytes,omitempty"`
	MaxMemoryBytes int64 `json:"maxMemoryBytes,omitempty"` // of the whole tree; needs cgroup v2
	MaxProcesses   int64 `json:"maxProcesses,omitempty"`   // and threads, of the whole tree; needs cgroup v2

	// Of agents only.
	StartupMS     int64   `json:"startupMs,omitempty"`     // until it can take a prompt
	IdleMS        int64   `json:"idleMs,omitempty"`        // without a sign of life, questions aside
	MaxTurns      int     `json:"maxTurns,omitempty"`      // calls of the model
	ReservedTurns int     `json:"reservedTurns,omitempty"` // the last of them, before which it is asked to wrap up
	MaxTokens     int64   `json:"maxTokens,omitempty"`     // as Usage.Tokens counts
	MaxCostUSD    float64 `json:"maxCostUsd,omitempty"`
}

// What the kernel lets MaxMemoryBytes and MaxProcesses be. With less memory
// not even a shell can be executed.
const (
	LeastMemory   = 1 << 20
	MostProcesses = 1 << 22
)

// Grace is the time between TERM and KILL.
func (l Limits) Grace() time.Duration { return time.Duration(l.GraceMS) * time.Millisecond }

// Program is what the child executes. EnvNames lists the names of its
// environment variables; their values are never recorded.
type Program struct {
	Runtime  string   `json:"runtime"`
	Argv     []string `json:"argv"`
	EnvNames []string `json:"env"`
}

// Stdin says what the child reads: "empty" (the null device), "open" (the
// run's fifo, fed by steer commands) or "file" (Path, opened by the shim).
type Stdin struct {
	Mode string `json:"mode"`
	Path string `json:"path,omitempty"`
}

// Rlimit is one resource limit of the caller, passed on to the child.
type Rlimit struct {
	Resource int    `json:"resource"`
	Cur      uint64 `json:"cur"`
	Max      uint64 `json:"max"`
}

// Priority is how the kernel favours the caller, passed on to the child. Zero
// values are what everybody has.
type Priority struct {
	Nice        int    `json:"nice,omitempty"`
	CPUs        string `json:"cpus,omitempty"` // hexadecimal mask; empty: those of everybody
	IOPrio      int    `json:"ioprio,omitempty"`
	OOMScoreAdj int    `json:"oomScoreAdj,omitempty"`
}

// Launch is launch.json: what was asked for. Written once by the asker before
// the run command. Absent: there is no such run.
//
// One with an action is its own run command: the command's name is a second
// one of the same file. See Ordered.
type Launch struct {
	Version     int       `json:"version"`
	ID          string    `json:"id"`
	RootID      string    `json:"rootId"`
	Predecessor string    `json:"predecessor,omitempty"`
	Index       int       `json:"index,omitempty"` // how many of its life came before; 0 with a predecessor: not known
	Name        string    `json:"name,omitempty"`
	Owner       string    `json:"owner"`
	Cwd         string    `json:"cwd"`
	Program     Program   `json:"program"`
	Stdin       Stdin     `json:"stdin"`
	Context     string    `json:"context"`
	Limits      Limits    `json:"limits"`
	Tree        string    `json:"tree"` // auto | cgroup | subreaper
	Umask       int       `json:"umask"`
	Rlimits     []Rlimit  `json:"rlimits,omitempty"`
	Priority    *Priority `json:"priority,omitempty"` // nil: as everybody
	Agent       *Agent    `json:"agent,omitempty"`    // nil: a plain command
	EnvFile     string    `json:"envFile,omitempty"`  // values on a memory file system, removed once the child has them
	Queue       bool      `json:"queue,omitempty"`    // takes one of the home's slots, and waits for one
	Needs       []string  `json:"needs,omitempty"`    // runs that must have completed before it starts
	Plan        *Plan     `json:"plan,omitempty"`     // the run is a plan: it executes nothing itself
	PlanID      string    `json:"planId,omitempty"`   // the plan it is a task of: whose command commands it
	Task        string    `json:"task,omitempty"`     // its name in that plan
	PartOf      string    `json:"partOf,omitempty"`   // the run it verifies or follows up on; it has no completion of its own
	Verify      *Verify   `json:"verify,omitempty"`   // what must pass before it counts as completed
	Asker       Identity  `json:"asker"`
	CreatedAt   time.Time `json:"createdAt"`

	// What makes it a Command as well.
	RunID  string `json:"runId,omitempty"`
	Action string `json:"action,omitempty"`
	Actor  string `json:"actor,omitempty"`
}

// Ordered returns l as a record that can be read as its own run command too,
// given by actor. One file under two names is one wait for the disk and one
// inode instead of two.
func (l Launch) Ordered(actor string) Launch {
	l.RunID, l.Action, l.Actor = l.ID, ActionRun, actor
	return l
}

// Actions a command may ask for.
const (
	ActionRun       = "run"       // start the run whose id the command bears
	ActionSteer     = "steer"     // text to the child's stdin, or its end; guidance to an agent that works
	ActionPrompt    = "prompt"    // to an agent that lives: guidance while it works, else its next turn
	ActionInterrupt = "interrupt" // end an agent's turn and keep its process
	ActionAnswer    = "answer"    // Text is the answer to Question
	ActionStop      = "stop"      // end the run and prove it
	ActionLeave     = "leave"     // the supervisor itself leaves; children run on
	ActionReload    = "reload"    // the settings have changed: who waits may be able to start
)

// Command is commands/ID.json: one request. Written once by the asker and
// kept until its effect is complete, so the directory is the list of open
// intents. A run command bears the run's own id.
type Command struct {
	Version     int       `json:"version"`
	ID          string    `json:"id"`
	RunID       string    `json:"runId,omitempty"`
	Action      string    `json:"action"`
	Actor       string    `json:"actor"`                 // owner who asks
	Force       bool      `json:"force,omitempty"`       // acts on another owner's run
	Incarnation string    `json:"incarnation,omitempty"` // process token or supervisor incarnation it is meant for; empty: whichever is there
	Text        string    `json:"text,omitempty"`
	EOF         bool      `json:"eof,omitempty"`
	Question    string    `json:"question,omitempty"` // of an answer: its id
	GraceMS     *int64    `json:"graceMs,omitempty"`
	Asker       *Identity `json:"asker,omitempty"` // process to wake when there is news of the command; it gives no rights
	CreatedAt   time.Time `json:"createdAt"`
}

// Admission states.
const (
	Accepted = "accepted"
	Stale    = "stale"    // came too late: what it was meant for is gone
	Rejected = "rejected" // never possible, Reason says why
)

// Admission is admissions/ID.json: the one answer to a command. Decided by
// the supervisor and durable before any effect; for a run that starts at once
// the shim writes it together with process.json. Absent: not yet seen.
type Admission struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Action  string    `json:"action"`
	RunID   string    `json:"runId,omitempty"`
	State   string    `json:"state"`
	Queued  bool      `json:"queued,omitempty"` // accepted, but the run has to wait; Reason says for what
	Reason  string    `json:"reason,omitempty"`
	At      time.Time `json:"at"`
}

// Shim names the process that is parent, subreaper and exit recorder of one run.
type Shim struct {
	PID      int      `json:"pid"`
	Identity Identity `json:"identity"`
}

// Process is process.json: the child, held at the gate. Written once by the
// shim; the gate opens only after it is durable. Absent: never started.
type Process struct {
	Version   int       `json:"version"`
	ID        string    `json:"id"`
	PID       int       `json:"pid"`
	Identity  Identity  `json:"identity"`
	Token     string    `json:"token"` // incarnation that steer and stop may be fenced to
	Shim      Shim      `json:"shim"`
	PGID      int       `json:"pgid"`
	SID       int       `json:"sid"`
	Cgroup    string    `json:"cgroup,omitempty"`
	StartedAt time.Time `json:"startedAt"`
	AsleepMS  int64     `json:"asleepMs,omitempty"` // how long the machine had been suspended since its boot
}

// Stop is stop.json: the first order of ours that ends the run. Written once
// by the supervisor before the first signal, so that after any crash an exit
// that we caused is told apart from one that happened.
type Stop struct {
	Version   int       `json:"version"`
	ID        string    `json:"id"`
	Cause     string    `json:"cause"`
	Reason    string    `json:"reason,omitempty"` // which limit, in words
	CommandID string    `json:"commandId,omitempty"`
	GraceMS   int64     `json:"graceMs"`
	At        time.Time `json:"at"`
}

// Ways an exit was observed.
const (
	ObservedWaited        = "waited"         // by the parent, from wait(2)
	ObservedPidfd         = "pidfd"          // by a non-parent, from a pidfd opened before the end
	ObservedIdentityGone  = "identity-gone"  // no such process any more; code and signal unknown
	ObservedHostRestarted = "host-restarted" // the boot id changed; code and signal unknown
)

// Proofs about the tree.
const (
	TreeEmpty    = "empty"    // the kernel said nothing is left
	TreeUnproven = "unproven" // something is left, or nothing could say
)

// Leftover is a process that outlived the child. Cleared: we ended it and saw
// it gone. Known only by name otherwise.
type Leftover struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"startTicks,omitempty"`
	Name       string `json:"name"`
	Cleared    bool   `json:"cleared"`
}

// LaunchError says why the child's program never ran.
type LaunchError struct {
	Stage   string `json:"stage"` // env | stdin | output | cwd | program | cgroup | limits | fork | exec | record | gate
	Errno   int    `json:"errno,omitempty"`
	Message string `json:"message"`
}

// Rusage is what the child and the descendants it waited for used.
type Rusage struct {
	UserMS   int64 `json:"userMs"`
	SystemMS int64 `json:"systemMs"`
	MaxRSSKB int64 `json:"maxRssKb"`
}

// Exit is exit.json: the end of the child as seen, never as guessed. Written
// once by the shim, else by the supervisor. Absent: not known to have exited.
// Code and Signal are null where unknown; they are never both set.
type Exit struct {
	Version     int          `json:"version"`
	ID          string       `json:"id"`
	PID         int          `json:"pid"`
	Code        *int         `json:"code"`
	Signal      *int         `json:"signal"`
	SignalName  string       `json:"signalName,omitempty"`
	CoreDumped  bool         `json:"coreDumped,omitempty"`
	At          time.Time    `json:"at"`
	Observed    string       `json:"observed"`
	Tree        string       `json:"tree"`
	Leftovers   []Leftover   `json:"leftovers"`
	Rusage      *Rusage      `json:"rusage,omitempty"`
	LaunchError *LaunchError `json:"launchError,omitempty"`
	OOMKills    int64        `json:"oomKills,omitempty"`    // processes the kernel ended because the run was over its memory ceiling
	ForksDenied int64        `json:"forksDenied,omitempty"` // how often it was at its ceiling of processes and wanted another
}

// Result is result.json: the verdict. Written once by the supervisor after
// the exit record. Absent: not settled.
type Result struct {
	Version   int           `json:"version"`
	ID        string        `json:"id"`
	Owner     string        `json:"owner"`
	Status    string        `json:"status"`
	Cause     string        `json:"cause,omitempty"`
	Error     string        `json:"error,omitempty"`
	FinalText *string       `json:"finalText,omitempty"`    // an agent's last word; absent for a plain command
	Talk      *Conversation `json:"conversation,omitempty"` // an agent's session, turns, tools and usage
	LifeUsage *Usage        `json:"lifeUsage,omitempty"`    // of this run and all it goes on from
	Verified  []Check       `json:"verified,omitempty"`     // each command of Launch.Verify that was run, in order
	FollowUps []string      `json:"followUps,omitempty"`    // the runs that were to mend what a check had found
	Tasks     []TaskEnd     `json:"tasks,omitempty"`        // of a plan, in the plan's order
	EndedAt   time.Time     `json:"endedAt"`
}

// Supervisor states.
const (
	SupervisorRunning = "running"
	SupervisorIdle    = "idle"    // left because there was nothing to watch
	SupervisorStopped = "stopped" // left because a person asked; only the next command starts another
)

// Supervisor is supervisor.json: who supervises the home. Replaced by each
// supervisor when it starts and when it leaves. Only the lock on
// supervisor.lock is proof that one is there.
type Supervisor struct {
	Version     int       `json:"version"`
	PID         int       `json:"pid"`
	Identity    Identity  `json:"identity"`
	Incarnation string    `json:"incarnation"`
	State       string    `json:"state"`
	Program     string    `json:"program"`
	Build       string    `json:"build"`
	Watch       string    `json:"watch"` // inotify, kqueue, or polling with the reason in WatchNote
	WatchNote   string    `json:"watchNote,omitempty"`
	QuickDeaths int       `json:"quickDeaths,omitempty"` // supervisors before this one that died young, in a row
	StartedAt   time.Time `json:"startedAt"`
}
