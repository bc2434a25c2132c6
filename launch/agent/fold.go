package agent

import (
	"bytes"

	"github.com/agent-runs/agent-runs/journal"
)

// Fold is one process's conversation: the runtime's talk, the state, and how
// far the stream was read. It is the same whether it grows with the stream or
// is made anew from the files.
type Fold struct {
	Talk  Talk
	State State
	Heard int64 // bytes of whole lines taken so far

	permission string
	said       map[string]bool
	waiting    []Message // what the protocol wants said and was not said yet
	watch      func(Event)
	past       []journal.Said // what is still to be recalled
	partial    []byte         // of a line that has not ended yet
}

// NewFold begins a conversation that was never heard. watch is told every
// event; it may be nil.
func NewFold(r Runtime, t Task, watch func(Event)) *Fold {
	if watch == nil {
		watch = func(Event) {}
	}
	f := &Fold{Talk: r.Talk(t), permission: t.Permission, said: map[string]bool{}, watch: watch}
	f.State.View.Version, f.State.View.ID = journal.Version, t.RunID
	f.waiting = f.Talk.Open()
	f.State.describe()
	return f
}

// Said takes note of a message that was given to the agent.
func (f *Fold) Said(s journal.Said) {
	f.said[s.Key] = true
	f.Talk.Said(s.Key, Kind(s.Kind))
	f.State.Said(s.Key, Kind(s.Kind))
	if s.Question != "" {
		f.State.Answered(s.Question, s.Answer, s.Key)
	}
	f.State.describe()
}

// WasSaid reports whether the message was given to the agent.
func (f *Fold) WasSaid(key string) bool { return f.said[key] }

// Line folds one line of the stream, without its newline.
func (f *Fold) Line(line []byte) {
	ready := f.State.Ready
	h := f.Talk.Hear(line)
	f.waiting = append(f.waiting, h.Say...)
	for _, e := range h.Events {
		f.State.Apply(e)
		f.watch(e)
		if e.Type == Asked {
			f.waiting = append(f.waiting, f.policy(*e.Question)...)
		}
	}
	if f.State.Ready && !ready {
		f.waiting = append(f.waiting, f.Talk.Begin()...)
	}
}

// policy answers where nobody is to be asked.
func (f *Fold) policy(q journal.Question) []Message {
	answer := f.permission
	switch {
	case answer == journal.PermissionAsk:
		return nil
	case answer != journal.PermissionAllow || q.Kind != QuestionPermission:
		answer = journal.PermissionDeny
	}
	m, err := f.Talk.Answer("policy:"+q.ID, q, answer)
	if err != nil {
		return nil // it stays open, and somebody may answer it
	}
	return m
}

// Due returns what the protocol wants said and was not said yet, in order.
func (f *Fold) Due() []Message {
	var due []Message
	for _, m := range f.waiting {
		if !f.said[m.Key] {
			due = append(due, m)
		}
	}
	f.waiting = due
	return due
}

// Next is where in the stream the next Write begins.
func (f *Fold) Next() int64 { return f.Heard + int64(len(f.partial)) }

// Write folds the next piece of the stream. A line that has not ended yet is
// kept for the next piece. It never fails.
func (f *Fold) Write(piece []byte) (int, error) {
	n := len(piece)
	for {
		line, rest, whole := bytes.Cut(piece, []byte{'\n'})
		if !whole {
			f.partial = append(f.partial, line...)
			return n, nil
		}
		f.Heard += int64(len(f.partial) + len(line) + 1)
		if f.partial != nil {
			line = append(f.partial, line...)
			f.partial = nil
		}
		f.Line(bytes.TrimRight(line, "\r"))
		f.recall()
		piece = rest
	}
}

// Recall gives the fold what was said before it was made. Each message is
// taken note of where in the stream it was said.
func (f *Fold) Recall(said []journal.Said) {
	f.past = said
	f.recall()
}

func (f *Fold) recall() {
	for len(f.past) > 0 && f.past[0].At <= f.Heard {
		f.Said(f.past[0])
		f.past = f.past[1:]
	}
}

// Recalled ends the recalling at the end of the stream: all was said by now.
func (f *Fold) Recalled() {
	for _, s := range f.past {
		f.Said(s)
	}
	f.past = nil
}
