package journal

// Phase is where a run is in its life.
type Phase string

// Phases, in order.
const (
	PhaseQueued   Phase = "queued"
	PhaseStarting Phase = "starting"
	PhaseRunning  Phase = "running"
	PhaseStopping Phase = "stopping"
	PhaseTerminal Phase = "terminal"
)

// StatusVerifying is the status of a run whose child has ended and whose work
// is being checked. Its phase is still running.
const StatusVerifying = "verifying"

// Terminal statuses. Before the end the status is the phase's name, but for
// StatusVerifying.
const (
	StatusCompleted = "completed"
	StatusFailed    = "failed"
	StatusStopped   = "stopped"
)

// Causes that refine a status. The first group ends as stopped (an order of
// ours), the second as failed (the work's own fate).
const (
	CauseCancelled    = "cancelled"
	CauseTimeout      = "timeout"
	CauseQueueTimeout = "queue_timeout"
	CauseOutputLimit  = "output_limit"
	CauseTurnLimit    = "turn_limit"
	CauseTokenLimit   = "token_limit"
	CauseCostLimit    = "cost_limit"

	CauseSpawn         = "spawn"
	CauseExit          = "exit"
	CauseSignal        = "signal"
	CauseMemoryLimit   = "memory_limit" // the kernel ended it: over its memory ceiling
	CauseBlocked       = "blocked"      // something it needs did not complete, so it never started
	CauseVerify        = "verify"       // its work is done, but not right: a check failed
	CauseTasks         = "tasks"        // of a plan: not all of its tasks completed
	CauseLost          = "lost"
	CauseHostRestarted = "host-restarted"
	CauseAgent         = "agent"       // the agent itself said that it failed
	CauseNoEnding      = "no_ending"   // the agent ended without saying how its turn did
	CauseInterrupted   = "interrupted" // its turn was interrupted and it got no other
)

// Status is what a run's records say together.
type Status struct {
	Phase  Phase
	Status string
	Cause  string
}

// Facts are what the records cannot say.
type Facts struct {
	// AskerAlive: the process that wrote launch.json is there. A launch whose
	// asker died before it gave the command was never asked for and can never
	// start: the supervisor acts on commands only.
	AskerAlive bool
	// AtWork: a shim holds the run's lock, or its command is still open. What
	// lies where the verdict belongs and cannot be read is no verdict then.
	AtWork bool
}

// Derive is the only place where phase and status come from. It is pure:
// the same records and facts give the same answer in every process.
func Derive(r Records, f Facts) Status {
	switch {
	case r.Result != nil:
		return Status{PhaseTerminal, r.Result.Status, r.Result.Cause}
	case !f.AtWork && r.Damages(ResultFile) && r.Exit != nil:
		status, cause := Judge(r.Stop, *r.Exit)
		return Status{PhaseTerminal, status, cause}
	case !f.AtWork && r.Damages(ResultFile):
		return Status{PhaseTerminal, StatusFailed, CauseLost}
	case r.Exit != nil && r.Stop == nil && r.Launch != nil && r.Launch.Verify != nil:
		return Status{PhaseRunning, StatusVerifying, ""}
	case r.Exit != nil || r.Process != nil && r.Stop != nil:
		return Status{PhaseStopping, string(PhaseStopping), causeOf(r.Stop)}
	case r.Process != nil:
		return Status{PhaseRunning, string(PhaseRunning), ""}
	case r.Stop != nil:
		return Status{PhaseStopping, string(PhaseStopping), causeOf(r.Stop)}
	case r.Admission != nil && r.Admission.State != Accepted:
		return Status{PhaseTerminal, StatusFailed, CauseSpawn}
	case r.Admission != nil && r.Launch != nil && r.Launch.Plan != nil:
		return Status{PhaseRunning, string(PhaseRunning), ""}
	case r.Admission != nil && (r.Admission.Queued || r.Launch != nil && r.Launch.PlanID != ""):
		return Status{PhaseQueued, string(PhaseQueued), ""}
	case r.Admission != nil:
		return Status{PhaseStarting, string(PhaseStarting), ""}
	case r.Commanded || f.AskerAlive:
		return Status{PhaseQueued, string(PhaseQueued), ""}
	case f.AtWork:
		return Status{PhaseStarting, string(PhaseStarting), ""}
	default:
		return Status{PhaseTerminal, StatusFailed, CauseLost}
	}
}

func causeOf(s *Stop) string {
	if s == nil {
		return ""
	}
	return s.Cause
}

// Judge turns an exit record into the terminal verdict. stop is nil where we
// gave no order. An order counts only if it was given before the child ended.
func Judge(stop *Stop, exit Exit) (status, cause string) {
	stopped := stop != nil && !stop.At.After(exit.At)
	switch {
	case exit.LaunchError != nil && stopped:
		return StatusStopped, stop.Cause
	case exit.LaunchError != nil:
		return StatusFailed, CauseSpawn
	case exit.Observed == ObservedHostRestarted:
		return StatusFailed, CauseHostRestarted
	case stopped:
		return StatusStopped, stop.Cause
	case exit.Code != nil && *exit.Code == 0:
		return StatusCompleted, ""
	case exit.OOMKills > 0:
		return StatusFailed, CauseMemoryLimit
	case exit.Code != nil:
		return StatusFailed, CauseExit
	case exit.Signal != nil:
		return StatusFailed, CauseSignal
	default:
		return StatusFailed, CauseLost
	}
}
