package supervisor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// plan is what a run that is a plan has besides. It goes through the same
// table as every run: it starts when it is admitted, an order to end it is an
// order to end its tasks, and its exit is the end of the last of them.
type plan struct {
	r     *run
	tasks []*run // those that were not over when it was taken up

	// Of the supervisor's loop.
	left   int             // tasks that are not over
	used   journal.Usage   // by those that are
	member map[string]bool // tasks that are still counted in left
}

// gather takes up a plan's tasks and lines them up. Nothing starts before
// schedule. Called by the supervisor's loop.
func (s *Supervisor) gather(r *run) {
	p := &plan{r: r, member: map[string]bool{}}
	r.plan = p
	s.queue.Limit(r.id, r.launch.Plan.Limits.Concurrency)
	for _, t := range r.launch.Plan.Tasks {
		if t.Done {
			continue
		}
		if result, err := journal.ReadResult(s.home, t.RunID); err == nil {
			p.used = p.used.Add(usageOf(*result))
			s.deliver(journal.Launch{ID: t.RunID, Owner: result.Owner}) // who wrote it may have died then
			continue
		}
		records, err := journal.LoadRun(s.home, t.RunID)
		if err != nil {
			s.log.Printf("task %s of plan %s: %v", t.ID, r.id, err)
			continue
		}
		l := launchOf(records, r.launch.Owner)
		l.PlanID, l.Task = r.id, t.ID
		task := s.newRun(l, "")
		task.startedBefore = records.Process != nil || records.Exit != nil || records.Damages(journal.ProcessFile) || s.held(task.id)
		s.runs[task.id] = task
		p.tasks = append(p.tasks, task)
		p.member[task.id] = true
		p.left++
	}
	for _, task := range p.tasks {
		if task.startedBefore {
			s.queue.Run(taskOf(task.launch))
		} else {
			s.queue.Wait(taskOf(task.launch), s.ends(task.launch.Needs))
		}
	}
}

// begin lets the plan and its tasks live.
func (p *plan) begin(stop *journal.Stop) {
	p.r.handle(note{event: EvAdmit})
	p.r.handle(note{event: EvStarted})
	for _, t := range p.tasks {
		if t.startedBefore {
			t.begin()
		} else {
			t.live()
		}
	}
	if stop != nil {
		p.r.s.queue.Hold(p.r.id)
	}
	p.arm()
	p.r.live()
	if p.left == 0 {
		p.r.post(note{event: EvExit})
	}
}

// arm starts the clock of the whole plan.
func (p *plan) arm() {
	most := ms(p.r.launch.Plan.Limits.MaxDurationMS)
	if most <= 0 {
		return
	}
	p.r.limits = append(p.r.limits, time.AfterFunc(time.Until(p.r.launch.CreatedAt.Add(most)), func() {
		stop := p.r.order(journal.CauseTimeout)
		stop.Reason = fmt.Sprintf("the plan had its %v", most)
		p.r.post(note{event: EvStop, stop: stop})
	}))
}

// do is what the table's actions mean to a plan.
func (p *plan) do(a Action, n note) {
	switch a {
	case DoRecordStop:
		p.r.recordStop(n)
	case DoAsk, DoHurry:
		p.stopTasks(n)
	case DoWithdraw, DoSettle:
		p.settle()
	}
}

// stopTasks hands an order to end the plan on to every task. The rest of the
// ladder is theirs. Nothing is started any more, once the loop has heard of it.
func (p *plan) stopTasks(n note) {
	order := n.stop
	if order == nil {
		order = p.r.stop
	}
	go func() {
		p.r.s.calls <- func() { p.r.s.queue.Hold(p.r.id) }
		for _, t := range p.tasks {
			stop := t.order(order.Cause)
			stop.Reason, stop.CommandID = order.Reason, order.CommandID
			if n.graceGiven {
				stop.GraceMS = order.GraceMS
			}
			t.post(note{event: EvStop, stop: stop, graceGiven: n.graceGiven})
		}
	}()
}

// settle writes the plan's result: how each of its tasks ended.
func (p *plan) settle() {
	result := journal.Result{Status: journal.StatusCompleted, EndedAt: time.Now().UTC()}
	count := map[string]int{}
	var life journal.Usage
	for _, t := range p.r.launch.Plan.Tasks {
		end := journal.TaskEnd{ID: t.ID, RunID: t.RunID, Status: journal.StatusFailed, Cause: journal.CauseLost}
		if r, err := journal.ReadResult(p.r.s.home, t.RunID); err == nil {
			end.Status, end.Cause = r.Status, r.Cause
			if !t.Done {
				life = life.Add(usageOf(*r))
			}
		}
		result.Tasks = append(result.Tasks, end)
		switch {
		case end.Cause == journal.CauseBlocked:
			count["blocked"]++
		case end.Status != journal.StatusCompleted:
			count[end.Status]++
		}
	}
	if life != (journal.Usage{}) {
		result.LifeUsage = &life
	}
	if len(count) > 0 {
		var words []string
		for what, n := range count {
			words = append(words, fmt.Sprintf("%d %s", n, what))
		}
		slices.Sort(words)
		result.Status, result.Cause = journal.StatusFailed, journal.CauseTasks
		result.Error = fmt.Sprintf("of %d tasks %s", len(result.Tasks), strings.Join(words, ", "))
		if stop := p.r.stop; stop != nil {
			result.Status, result.Cause = journal.StatusStopped, stop.Cause
		}
	}
	p.r.s.writeResult(p.r, result)
}

// leftPlan counts a task that is settled. Called by the supervisor's loop.
func (s *Supervisor) leftPlan(t *run) {
	r := s.runs[t.launch.PlanID]
	if t.plan != nil {
		s.queue.Forget(t.id)
	}
	if r == nil || r.plan == nil || !r.plan.member[t.id] {
		return
	}
	delete(r.plan.member, t.id)
	if t.result != nil {
		r.plan.used = r.plan.used.Add(usageOf(*t.result))
	}
	r.ring()
	if r.plan.left--; r.plan.left == 0 {
		r.post(note{event: EvExit})
	}
}

// disband forgets the tasks of a plan that could not be admitted now.
func (s *Supervisor) disband(r *run) {
	for _, t := range r.plan.tasks {
		s.queue.Drop(t.id)
		delete(s.runs, t.id)
	}
	s.queue.Forget(r.id)
}

// spent names the limit of a plan that leaves nothing for another task. What
// its tasks have used so far counts, also those that still work.
func (s *Supervisor) spent(r *run) (cause, reason string) {
	l, used := r.launch.Plan.Limits, r.plan.used
	if l.MaxTokens <= 0 && l.MaxCostUSD <= 0 {
		return "", ""
	}
	for _, t := range r.plan.tasks {
		if r.plan.member[t.id] {
			used = used.Add(t.usedSoFar())
		}
	}
	switch {
	case l.MaxTokens > 0 && used.Tokens() >= l.MaxTokens:
		return journal.CauseTokenLimit, fmt.Sprintf("the plan has used %d of its %d tokens", used.Tokens(), l.MaxTokens)
	case l.MaxCostUSD > 0 && used.CostUSD != nil && *used.CostUSD >= l.MaxCostUSD:
		return journal.CauseCostLimit, fmt.Sprintf("the plan has cost %.4f of its %.4f USD", *used.CostUSD, l.MaxCostUSD)
	}
	return "", ""
}

// usedSoFar is what an agent that works has told of its use.
func (r *run) usedSoFar() journal.Usage {
	t := r.talking()
	if t == nil {
		return journal.Usage{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.c == nil {
		return journal.Usage{}
	}
	return t.c.State.View.Usage
}

// usageOf is what one run used, with what it needed to be mended.
func usageOf(r journal.Result) journal.Usage {
	var u journal.Usage
	switch {
	case r.Tasks != nil && r.LifeUsage != nil: // a plan as a task of another
		u = *r.LifeUsage
	case len(r.FollowUps) > 0 && r.LifeUsage != nil:
		u = *r.LifeUsage
	case r.Talk != nil:
		u = r.Talk.Usage
	}
	return u
}
