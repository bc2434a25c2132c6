package agent

import (
	"maps"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
)

// Phases of a conversation.
const (
	PhaseOpening = "opening" // not ready for a prompt yet
	PhaseWorking = "working" // a turn runs, or something was said and not taken yet
	PhaseAsking  = "asking"  // a question is open
	PhaseIdle    = "idle"    // the turn is over; it could be given another prompt
	PhaseOver    = "over"    // nothing more will come
)

// maxNotices bounds the notices that are kept: the last ones.
const maxNotices = 5

// Ending is the protocol's word about a turn.
type Ending struct {
	Outcome Outcome
	Error   string
}

// State is the conversation as it stands: a fold over what was said and what
// was heard. The zero value is the beginning.
type State struct {
	View    journal.Conversation
	Ready   bool
	Working bool            // a turn runs
	Ended   *Ending         // of the last turn that ended; nil: none has
	Over    bool            // the protocol said that nothing more will come
	Held    bool            // interrupted by order: it is kept for the next prompt
	Pending map[string]Kind // prompts and guidance said, and neither taken nor refused yet
	Refused map[string]Event
	Error   string // the last error it told

	final    []string // the texts of the turns since the last prompt
	texts    []string // whole messages of the running turn
	partial  strings.Builder
	tools    []running
	prompted bool // something of ours began the running turn
}

type running struct{ id, name, does string }

// Said takes note of a message that was given to the agent.
func (s *State) Said(key string, kind Kind) {
	switch kind {
	case Prompt, Steer:
		if s.Pending == nil {
			s.Pending = map[string]Kind{}
		}
		s.Pending[key] = kind
		s.Held = false
		if kind == Prompt {
			s.prompted = true
		}
	case Interrupt:
		s.Held = true
	}
}

// Answered takes note of the answer to a question.
func (s *State) Answered(question, answer, by string) {
	for i := range s.View.Questions {
		if q := &s.View.Questions[i]; q.ID == question {
			q.Answer, q.By = answer, by
		}
	}
	if answer == journal.PermissionDeny {
		s.View.Denied++
	}
}

// Apply folds one event.
func (s *State) Apply(e Event) {
	v := &s.View
	if e.Session != "" {
		v.SessionID = e.Session
	}
	if e.File != "" {
		v.SessionFile = e.File
	}
	if e.Model != "" {
		v.Model = e.Model
	}
	switch e.Type {
	case Ready:
		s.Ready = true
	case TurnBegan:
		s.beginTurn()
	case Step:
		v.Turns++
	case TextDelta:
		s.partial.WriteString(e.Text)
	case Text:
		s.partial.Reset()
		if e.Text != "" {
			s.texts = append(s.texts, e.Text)
		}
	case ToolBegan:
		v.Tools++
		s.tools = append(s.tools, running{e.ToolID, e.Tool, e.Text})
		if e.Tool != "" && !slices.Contains(v.ToolNames, e.Tool) {
			v.ToolNames = append(v.ToolNames, e.Tool)
		}
	case ToolEnded:
		s.tools = slices.DeleteFunc(s.tools, func(t running) bool { return t.id == e.ToolID })
	case Asked:
		if !slices.ContainsFunc(v.Questions, func(q journal.Question) bool { return q.ID == e.Question.ID }) {
			v.Questions = append(v.Questions, *e.Question)
		}
	case Withdrawn:
		v.Questions = slices.DeleteFunc(v.Questions, func(q journal.Question) bool { return q.ID == e.Question.ID && q.Answer == "" })
	case Used:
		v.Usage = v.Usage.Add(*e.Usage)
	case Taken:
		delete(s.Pending, e.Key)
	case Refused:
		delete(s.Pending, e.Key)
		if s.Refused == nil {
			s.Refused = map[string]Event{}
		}
		s.Refused[e.Key] = e
	case Notice, Compacted, Retrying:
		s.notice(e)
	case TurnEnded:
		s.endTurn(e)
	case Fatal:
		s.Over, s.Working, s.Error = true, false, e.Error
	}
	s.describe()
}

func (s *State) beginTurn() {
	if s.Working {
		return
	}
	s.Working, s.texts = true, nil
	s.partial.Reset()
	if s.prompted || s.Ended == nil {
		s.final = nil
	}
	s.prompted = false
}

func (s *State) endTurn(e Event) {
	if !s.Working {
		s.beginTurn() // one that was over as soon as it began
	}
	s.Working, s.tools = false, nil
	s.Ended = &Ending{Outcome: e.Outcome, Error: e.Error}
	if e.Error != "" {
		s.Error = e.Error
	}
	text := e.Text
	if text == "" && len(s.texts) > 0 {
		text = s.texts[len(s.texts)-1]
	}
	if text == "" {
		text = s.partial.String()
	}
	if text != "" {
		s.final = append(s.final, text)
	}
	s.View.Questions = slices.DeleteFunc(s.View.Questions, func(q journal.Question) bool { return q.Answer == "" })
}

func (s *State) notice(e Event) {
	text := e.Text
	if text == "" {
		text = e.Error
	}
	if e.Type == Retrying {
		s.Error = e.Error
	}
	s.View.Notices = append(s.View.Notices, text)
	if extra := len(s.View.Notices) - maxNotices; extra > 0 {
		s.View.Notices = slices.Delete(s.View.Notices, 0, extra)
	}
}

// describe keeps the view's summary.
func (s *State) describe() {
	s.View.Doing = ""
	if n := len(s.tools); n > 0 {
		if s.View.Doing = s.tools[n-1].name; s.tools[n-1].does != "" {
			s.View.Doing += ": " + s.tools[n-1].does
		}
	}
	s.View.Phase = s.Phase()
}

// Phase is where the conversation stands.
func (s *State) Phase() string {
	switch {
	case s.Over:
		return PhaseOver
	case !s.Ready:
		return PhaseOpening
	case len(s.Open()) > 0:
		return PhaseAsking
	case s.Working || len(s.Pending) > 0 || s.Ended == nil:
		return PhaseWorking
	default:
		return PhaseIdle
	}
}

// Busy reports whether a turn runs, or is about to begin.
func (s *State) Busy() bool { return s.Working || len(s.Pending) > 0 }

// Settled reports whether all that was asked of the agent has come to its end.
func (s *State) Settled() bool { return s.Over || s.Phase() == PhaseIdle && !s.Held }

// Open lists the questions that wait for an answer.
func (s *State) Open() []journal.Question {
	var open []journal.Question
	for _, q := range s.View.Questions {
		if q.Answer == "" {
			open = append(open, q)
		}
	}
	return open
}

// Question returns the question with an id, if it was asked.
func (s *State) Question(id string) *journal.Question {
	for i := range s.View.Questions {
		if s.View.Questions[i].ID == id {
			return &s.View.Questions[i]
		}
	}
	return nil
}

// FinalText is what the agent said at the end: the last message of the last
// prompt's turn, and of the turns it began by itself after that.
func (s *State) FinalText() string {
	if s.Working {
		if n := len(s.texts); n > 0 {
			return strings.Join(append(slices.Clone(s.final), s.texts[n-1]), "\n\n")
		}
	}
	return strings.Join(s.final, "\n\n")
}

// Waiting lists the keys that are pending, sorted.
func (s *State) Waiting() []string { return slices.Sorted(maps.Keys(s.Pending)) }
