package agent

import (
	"bufio"
	"bytes"
	"errors"
	"io"

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

// Read folds the whole lines of r, which begins where Heard stands, up to its
// end. What was said is taken note of where it was said. A line that has not
// ended yet is left for the next time.
func (f *Fold) Read(r io.Reader, said []journal.Said) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	for {
		for len(said) > 0 && said[0].At <= f.Heard {
			f.Said(said[0])
			said = said[1:]
		}
		part, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, part...)
			continue
		}
		if err != nil {
			for _, s := range said {
				f.Said(s)
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		line := part
		if long != nil {
			line = append(long, part...)
			long = nil
		}
		f.Heard += int64(len(line))
		f.Line(bytes.TrimRight(line, "\r\n"))
	}
}
