package supervisor

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// checks verifies one run: each command is a run of its own, in the run's
// directory and environment, and so is each follow-up that is to mend what
// they found. Which runs those are is written down before they are made, so
// that a supervisor after us goes on with the same.
type checks struct {
	r    *run
	halt chan struct{} // closed: nothing more is begun

	mu     sync.Mutex
	halted bool
	at     string // the part that runs now
}

// maxCheckOutput bounds what is kept of what a check wrote.
const maxCheckOutput = 4 << 10

// toVerify reports whether the end that has come is to be verified: all went
// well, checks are asked for, and nobody ordered the end before they began.
func (r *run) toVerify() bool {
	if r.launch.Verify == nil || r.plan != nil || r.state == Verifying || r.state == Settled {
		return false
	}
	if _, err := os.Lstat(r.s.home.File(r.id, checkFile(1, 0))); r.stop != nil && err != nil {
		return false
	}
	v := r.judge()
	return v != nil && v.Status == journal.StatusCompleted
}

// verify runs the checks in a goroutine of its own.
func (r *run) verify() {
	c := &checks{r: r, halt: make(chan struct{})}
	if r.checks = c; r.stop != nil {
		c.stop() // ordered before us: what was begun is only seen to its end
	}
	r.event(journal.Event{Type: journal.EventVerifying})
	r.ring()
	go func() {
		c.all(r.launch.Verify, r.verdict)
		r.post(note{event: EvVerified})
	}()
}

// all checks, has the agent mend what failed, and checks again, as often as
// was asked for. v becomes the verdict.
func (c *checks) all(how *journal.Verify, v *journal.Result) {
	defer func() { v.EndedAt = time.Now().UTC() }()
	session := v
	for attempt := 1; ; attempt++ {
		failed, ran := c.round(attempt, how, v)
		if len(failed) == 0 {
			return
		}
		v.Status, v.Cause, v.Error = journal.StatusFailed, journal.CauseVerify, sayFailed(failed)
		if attempt > how.Retry || !ran || c.stopped() && !c.begun(followUpFile(attempt)) {
			return
		}
		next := c.followUp(attempt, session, mend(failed))
		if next == nil {
			return
		}
		v.FollowUps = append(v.FollowUps, next.ID)
		if next.Talk != nil && v.LifeUsage != nil {
			life := v.LifeUsage.Add(next.Talk.Usage)
			v.LifeUsage = &life
		}
		if next.FinalText != nil {
			v.FinalText = next.FinalText
		}
		if next.Status != journal.StatusCompleted {
			v.Error += fmt.Sprintf("; run %s, which was to mend it, %s", next.ID, next.Status)
			return
		}
		v.Status, v.Cause, v.Error, session = journal.StatusCompleted, "", "", next
	}
}

// round runs every command once and returns those that failed. ran is false if
// one never was run or was lost, of which no agent can mend anything.
func (c *checks) round(attempt int, how *journal.Verify, v *journal.Result) (failed []journal.Check, ran bool) {
	ran = true
	for step, command := range how.Commands {
		if c.stopped() && !c.begun(checkFile(attempt, step)) {
			return failed, ran
		}
		check, told := c.step(attempt, step, command, how)
		ran = ran && told
		v.Verified = append(v.Verified, check)
		if !check.Passed {
			failed = append(failed, check)
		}
		status := "passed"
		if !check.Passed {
			status = "failed"
		}
		c.r.event(journal.Event{Type: journal.EventVerified, Part: check.RunID, Status: status, Error: check.Error})
	}
	return failed, ran
}

// step runs one command. told is false where its end tells nothing of the work.
func (c *checks) step(attempt, step int, command string, how *journal.Verify) (check journal.Check, told bool) {
	check = journal.Check{Attempt: attempt, Command: command}
	id, result, err := c.part(checkFile(attempt, step), func(id string) (journal.Launch, error) {
		l := c.partOf(id)
		l.Program = journal.Program{Runtime: journal.RuntimeCommand, Argv: []string{"sh", "-c", command}, EnvNames: c.r.launch.Program.EnvNames}
		l.Limits = journal.Limits{MaxDurationMS: how.MaxDurationMS, GraceMS: c.r.launch.Limits.GraceMS}
		l.Stdin = journal.Stdin{Mode: "empty"}
		return l, nil
	})
	if check.RunID = id; err != nil {
		check.Error = err.Error()
		return check, false
	}
	home := c.r.s.home
	check.Passed = result.Status == journal.StatusCompleted
	if e, err := journal.ReadExit(home, id); err == nil {
		check.Code = e.Code
		if p := new(journal.Process); journal.Read(home.File(id, journal.ProcessFile), p) == nil {
			check.DurationMS = e.At.Sub(p.StartedAt).Milliseconds()
		}
		if e.SignalName != "" {
			check.Error = "it was ended by " + e.SignalName
		}
	}
	switch {
	case check.Passed:
	case result.Cause == journal.CauseTimeout:
		check.Error = fmt.Sprintf("it was not done within %v", ms(how.MaxDurationMS))
	case result.Error != "":
		check.Error = result.Error
	}
	check.Output = strings.TrimSpace(strings.Join([]string{tail(home.File(id, journal.StdoutFile), maxCheckOutput), tail(home.File(id, journal.StderrFile), maxCheckOutput)}, "\n"))
	return check, result.Cause != journal.CauseSpawn && result.Cause != journal.CauseLost && result.Cause != journal.CauseHostRestarted
}

func sayFailed(failed []journal.Check) string {
	var words []string
	for _, f := range failed {
		words = append(words, sayCheck(f))
	}
	return strings.Join(words, "; ")
}

func sayCheck(f journal.Check) string {
	switch {
	case f.Code != nil:
		return fmt.Sprintf("%s: exit code %d", f.Command, *f.Code)
	case f.Error != "":
		return fmt.Sprintf("%s: %s", f.Command, f.Error)
	}
	return f.Command + ": it failed"
}

// mend is what the agent is told.
func mend(failed []journal.Check) string {
	var b strings.Builder
	b.WriteString("Your work was checked, and it is not done yet.\n")
	for _, f := range failed {
		fmt.Fprintf(&b, "\n%s\n", sayCheck(f))
		if f.Output != "" {
			fmt.Fprintf(&b, "\n%s\n", f.Output)
		}
	}
	b.WriteString("\nMend what is wrong. The same checks are run again when you have answered.")
	return b.String()
}

// stop ends the part that runs and keeps others from being begun.
func (c *checks) stop() {
	c.mu.Lock()
	at, first := c.at, !c.halted
	c.halted = true
	c.mu.Unlock()
	if first {
		close(c.halt)
	}
	if at != "" {
		go c.end(at)
	}
}

// end orders the end of a part, whether the loop has taken it up yet or not.
func (c *checks) end(id string) {
	s := c.r.s
	order := journal.Stop{Version: journal.Version, ID: id, Cause: journal.CauseCancelled, Reason: "run " + c.r.id + " was stopped", GraceMS: c.r.launch.Limits.GraceMS, At: time.Now().UTC()}
	s.insist(id, func() error { return journal.WriteOnce(s.home.File(id, journal.StopFile), order) })
	s.calls <- func() {
		if part := s.runs[id]; part != nil {
			part.post(note{event: EvStop, stop: &order, recorded: true})
		}
	}
}

func (c *checks) stopped() bool {
	select {
	case <-c.halt:
		return true
	default:
		return false
	}
}
