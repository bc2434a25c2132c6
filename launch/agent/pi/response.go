package pi

import (
	"fmt"
	"strings"

	"github.com/agent-runs/agent-runs/launch/agent"
)

// response takes what pi answers to a message of ours; its id is our key.
func (t *talk) response(l *line, h *agent.Heard) {
	verb, _, _ := strings.Cut(l.ID, ":")
	switch {
	case l.ID == keyInit:
		t.opened(l, h)
	case l.ID == keyModels:
		t.unknownModel(l, h)
	case verb == "settled":
		t.stands(l, h)
	case verb == "unqueue":
		t.tookBack(l, h)
	case l.ID == t.resend && l.ID != "":
		t.saidAgain(l, h)
	case t.kinds[l.ID] != "":
		t.given(l, h)
	}
}

// opened takes the state in which pi came up. A model other than the one that
// was asked for is not accepted: pi takes its name for a pattern.
func (t *talk) opened(l *line, h *agent.Heard) {
	if !l.Success {
		add(h, agent.Event{Type: agent.Fatal, Error: agent.Line("pi does not come up: " + l.Error)})
		return
	}
	d := &l.Data
	if t.task.Model != "" && !d.Model.is(t.task.Model) {
		t.wrong = d.Model.String()
		h.Say = append(h.Say, message(agent.Setup, command{ID: keyModels, Type: "get_available_models"}))
		return
	}
	add(h, agent.Event{Type: agent.Ready, Session: d.SessionID, File: d.SessionFile, Model: d.Model.String()})
}

func (t *talk) unknownModel(l *line, h *agent.Heard) {
	names := similar(l.Data.Models, t.task.Model)
	text := fmt.Sprintf("pi has no model %q", t.task.Model)
	if t.wrong != "" {
		text += fmt.Sprintf(" (it would take %s)", t.wrong)
	}
	if len(names) > 0 {
		text += "; it has " + strings.Join(names, ", ")
	}
	add(h, agent.Event{Type: agent.Fatal, Error: text})
}

// maxNames bounds the list of models in an error.
const maxNames = 20

// similar lists the models of the provider that was asked for, or all.
func similar(models []model, name string) []string {
	var same, all []string
	provider, _, _ := strings.Cut(name, "/")
	for _, m := range models {
		all = append(all, m.String())
		if m.Provider == provider {
			same = append(same, m.String())
		}
	}
	if len(same) > 0 {
		all = same
	}
	if more := len(all) - maxNames; more > 0 {
		all = append(all[:maxNames], fmt.Sprintf("and %d more", more))
	}
	return all
}

// stands takes the answer to what was asked at the end of a run: it is the
// end unless something began before. After a compaction it is asked again.
func (t *talk) stands(l *line, h *agent.Heard) {
	if t.ending && !l.Data.IsStreaming && !l.Data.IsCompacting && l.ID == fmt.Sprintf("settled:%d", t.rounds) {
		t.settle(false, h)
	}
}

// tookBack takes the texts that were left in the queue when a turn was over.
// After an interrupt they are refused; else pi was just too slow to see them.
func (t *talk) tookBack(l *line, h *agent.Heard) {
	texts := append(l.Data.Steering, l.Data.FollowUp...)
	if len(texts) == 0 {
		t.takeLeft(h) // a run that began since had them
		return
	}
	if strings.HasPrefix(l.ID, "unqueue:refuse:") {
		t.refuseLeft(agent.Event{Type: agent.Refused, Stale: true, Error: "the turn was interrupted before this was read"}, h)
		return
	}
	t.resend = "again" + strings.TrimPrefix(l.ID, "unqueue:again")
	h.Say = append(h.Say, prompt(agent.Setup, t.resend, strings.Join(texts, "\n\n")))
}

// saidAgain takes what became of the texts that were said again.
func (t *talk) saidAgain(l *line, h *agent.Heard) {
	t.resend = ""
	if l.Success {
		t.begin(h)
		t.takeLeft(h)
		return
	}
	t.refuseLeft(agent.Event{Type: agent.Refused, Error: l.Error}, h)
}

func (t *talk) refuseLeft(e agent.Event, h *agent.Heard) {
	for _, e.Key = range t.left {
		add(h, e)
	}
	t.left = nil
}

func (t *talk) takeLeft(h *agent.Heard) {
	t.take(t.left, h)
	t.left = nil
}

// given takes what became of a prompt or guidance.
func (t *talk) given(l *line, h *agent.Heard) {
	key := l.ID
	delete(t.kinds, key)
	if !l.Success {
		add(h, agent.Event{Type: agent.Refused, Key: key, Error: l.Error})
		if key == keyFirst && !t.working {
			add(h, agent.Event{Type: agent.TurnEnded, Outcome: agent.Failed, Error: l.Error})
		}
		return
	}
	queued := l.Data.Disposition == "queued" || l.Data.Disposition == "" && t.began.unclaimed()
	if queued && !t.began.put(key) {
		return
	}
	if l.Data.Disposition != "handled" {
		t.begin(h) // before it is told: until then nothing must look as if all were done
	}
	add(h, agent.Event{Type: agent.Taken, Key: key})
	if !t.working { // an extension took it, and no run begins
		add(h, agent.Event{Type: agent.TurnEnded, Outcome: agent.Completed})
	}
}
