package journal

import "time"

// RuntimeCommand is the runtime of a plain command: nothing is spoken with it.
const RuntimeCommand = "command"

// What becomes of a session.
const (
	ContextFresh  = "fresh"  // a new one
	ContextResume = "resume" // the named one goes on, under its id
	ContextFork   = "fork"   // a new one that begins with the history of the named one
)

// Permission policies every runtime knows. Anything else is the agent's own
// word for one.
const (
	PermissionDeny  = "deny"  // refuse what needs a permission, and report it
	PermissionAsk   = "ask"   // turn it into a question that somebody answers
	PermissionAllow = "allow" // grant everything
)

// Agent is the part of launch.json that only an agent has: what is asked of
// it. Absent: the child is a plain command.
type Agent struct {
	Prompt       string   `json:"prompt"`
	Model        string   `json:"model,omitempty"` // PROVIDER/ID or the agent's own name; exact, never substituted
	Thinking     string   `json:"thinking,omitempty"`
	SystemPrompt string   `json:"systemPrompt,omitempty"`
	Tools        []string `json:"tools,omitempty"`
	Permission   string   `json:"permission"`
	SessionID    string   `json:"sessionId,omitempty"`   // the session to resume or fork
	SessionFile  string   `json:"sessionFile,omitempty"` // where the agent keeps it, if it said so
	Version      string   `json:"version,omitempty"`     // of the program, as it told when the run was asked for
}

// Usage counts what an agent used. Input does not contain what was read from
// a cache. A nil Cost was not reported. Contributions add up: Add.
type Usage struct {
	Input      int64    `json:"input"`
	Output     int64    `json:"output"`
	CacheRead  int64    `json:"cacheRead"`
	CacheWrite int64    `json:"cacheWrite"`
	Reasoning  int64    `json:"reasoning,omitempty"` // part of Output
	CostUSD    *float64 `json:"costUsd,omitempty"`
}

// Add returns the sum.
func (u Usage) Add(v Usage) Usage {
	u.Input += v.Input
	u.Output += v.Output
	u.CacheRead += v.CacheRead
	u.CacheWrite += v.CacheWrite
	u.Reasoning += v.Reasoning
	if v.CostUSD != nil {
		sum := *v.CostUSD
		if u.CostUSD != nil {
			sum += *u.CostUSD
		}
		u.CostUSD = &sum
	}
	return u
}

// Tokens is what a ceiling on tokens counts: everything but cache reads.
func (u Usage) Tokens() int64 { return u.Input + u.Output + u.CacheWrite }

// Question is something an agent wants to be told before it goes on.
type Question struct {
	ID      string   `json:"id"`             // the agent's own, unique in the run
	Kind    string   `json:"kind"`           // permission | choice | text
	Tool    string   `json:"tool,omitempty"` // what it wants to do
	Text    string   `json:"text"`
	Options []string `json:"options,omitempty"` // of a choice
	Answer  string   `json:"answer,omitempty"`  // allow, deny or the text, once it is given
	By      string   `json:"by,omitempty"`      // who answered: a command's id, or "policy"
}

// Conversation is what is known of an agent's talk: conversation.json while
// the run lives (replaced by the supervisor as the talk goes on, a view that
// can be made anew from what was said and heard), and a part of result.json.
type Conversation struct {
	Version     int        `json:"version"`
	ID          string     `json:"id"` // of the run
	Phase       string     `json:"phase"`
	SessionID   string     `json:"sessionId,omitempty"`
	SessionFile string     `json:"sessionFile,omitempty"`
	Model       string     `json:"model,omitempty"`
	Turns       int        `json:"turns"` // calls of the model that gave an answer
	Tools       int        `json:"tools"` // tool calls begun
	ToolNames   []string   `json:"toolNames,omitempty"`
	Doing       string     `json:"doing,omitempty"` // the tool that runs now
	Denied      int        `json:"denied,omitempty"`
	Usage       Usage      `json:"usage"`
	Questions   []Question `json:"questions,omitempty"`
	Notices     []string   `json:"notices,omitempty"` // the last few
	Heard       int64      `json:"heard"`             // bytes of the agent's stream that this tells of
	At          time.Time  `json:"at"`
}

// Said is one line of said.jsonl: a message that was given to the agent.
// Appended by the supervisor after the message's bytes are in said.log and
// before any of them reaches the agent, so what is listed is sent exactly
// once and what is not listed was never sent.
type Said struct {
	Key  string    `json:"key"`  // what it is and which command asked for it
	Kind string    `json:"kind"` // see launch/agent
	End  int64     `json:"end"`  // where it ends in said.log
	At   int64     `json:"at"`   // how much of the agent's stream had been heard
	Time time.Time `json:"time"`

	Question string `json:"question,omitempty"` // of an answer: to what
	Answer   string `json:"answer,omitempty"`   // and which
}

// Successor is successor.json: the run that goes on with this one's session.
// Written once by the asker before the run command of the successor, so that
// of two only one can go on. Absent: not continued.
type Successor struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
}
