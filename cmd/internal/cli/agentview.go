package cli

import (
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
)

// AgentPart is the part of a view that only runs of agents have, and the first
// of it plans as well.
type AgentPart struct {
	Runtime      string                `json:"runtime,omitempty"`
	RootID       string                `json:"rootId,omitempty"`
	Predecessor  string                `json:"predecessor,omitempty"`
	Successor    string                `json:"successor,omitempty"`
	Agent        *journal.Agent        `json:"agent,omitempty"`
	Conversation *journal.Conversation `json:"conversation,omitempty"`
	FinalText    *string               `json:"finalText,omitempty"`
	Usage        *journal.Usage        `json:"usage,omitempty"`     // of this run
	LifeUsage    *journal.Usage        `json:"lifeUsage,omitempty"` // of this run and all it goes on from
}

// agentPart reads what else is known of an agent's run. What cannot be read is
// not known: all of it but the result is a view or a reference.
func agentPart(h journal.Home, r journal.Records) (p AgentPart) {
	if r.Launch == nil || r.Launch.Agent == nil && r.Launch.Plan == nil {
		return p
	}
	l := r.Launch
	p = AgentPart{Runtime: l.Program.Runtime, RootID: l.RootID, Predecessor: l.Predecessor, Agent: l.Agent}
	if s, err := SuccessorOf(h, r.ID); err == nil {
		p.Successor = s
	}
	if l.Plan != nil {
		return p
	}
	if r.Result != nil {
		p.FinalText, p.Conversation, p.LifeUsage = r.Result.FinalText, r.Result.Talk, r.Result.LifeUsage
	}
	if p.Conversation == nil {
		var c journal.Conversation
		if journal.Read(h.File(r.ID, journal.ConversationFile), &c) == nil {
			p.Conversation = &c
		}
	}
	if p.Conversation == nil {
		return p
	}
	p.Usage = &p.Conversation.Usage
	if p.LifeUsage == nil {
		p.LifeUsage = lifeSoFar(h, l.Predecessor, *p.Usage)
	}
	return p
}

// SuccessorOf returns the run that goes on with this one's session. The error
// is journal.ErrMissing where none does.
func SuccessorOf(h journal.Home, id string) (string, error) {
	return ipc.Successor(h, id)
}

func lifeSoFar(h journal.Home, predecessor string, usage journal.Usage) *journal.Usage {
	var before journal.Result
	if predecessor != "" && journal.Read(h.File(predecessor, journal.ResultFile), &before) == nil && before.LifeUsage != nil {
		usage = before.LifeUsage.Add(usage)
	}
	return &usage
}

// IsAgent reports whether the run is an agent's and no plain command.
func (v View) IsAgent() bool { return v.Agent != nil }

// Session returns the agent's session, and its file where that is known. A run
// that went on with one and never got to speak still has that one.
func (v View) Session() (id, file string) {
	if c := v.Conversation; c != nil && c.SessionID+c.SessionFile != "" {
		return c.SessionID, c.SessionFile
	}
	if v.Launch != nil && v.Agent != nil && v.Launch.Context == journal.ContextResume {
		return v.Agent.SessionID, v.Agent.SessionFile
	}
	return "", ""
}

// OpenQuestions lists what the agent of a live run wants to be told.
func (v View) OpenQuestions() (open []journal.Question) {
	if v.Conversation == nil || v.Phase == journal.PhaseTerminal {
		return nil
	}
	for _, q := range v.Conversation.Questions {
		if q.Answer == "" {
			open = append(open, q)
		}
	}
	return open
}
