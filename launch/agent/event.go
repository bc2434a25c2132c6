package agent

import "github.com/agent-runs/agent-runs/journal"

// Type is what an event tells.
type Type string

// Event types. Which fields each fills is said beside it.
const (
	Ready     Type = "ready"      // prompts can be taken; Session, File, Model where known
	Session   Type = "session"    // the session's name became known or changed; Session, File, Model
	TurnBegan Type = "turn_began" // the agent is at work
	Step      Type = "step"       // one call of the model has given its answer
	TextDelta Type = "text_delta" // a piece of what it says; Text
	Text      Type = "text"       // one whole message of it; Text
	Thought   Type = "thought"    // Text
	ToolBegan Type = "tool_began" // ToolID, Tool, Text: what it does, in a line
	ToolEnded Type = "tool_ended" // ToolID, Failed, Text: the end of its output
	Asked     Type = "asked"      // Question
	Withdrawn Type = "withdrawn"  // Question.ID: nobody needs to answer any more
	Used      Type = "used"       // Usage, as a difference to what was told before
	Taken     Type = "taken"      // Key: a message of ours has reached the agent
	Refused   Type = "refused"    // Key, Error: a message of ours was refused; Stale: because it came too late
	Retrying  Type = "retrying"   // Error: the agent tries again by itself; no sign of life
	Notice    Type = "notice"     // Text
	Compacted Type = "compacted"  // Text: the agent summed up what its model is shown of the session
	TurnEnded Type = "turn_ended" // Outcome, Error, Text: the final text where the protocol gives one
	Fatal     Type = "fatal"      // Error: the protocol says that nothing more will come
)

// CompactedWords tell people of a Compacted that says no more.
const CompactedWords = "the context was compacted"

// Outcome is how a turn ended, by the protocol's own word.
type Outcome string

// Outcomes.
const (
	Completed   Outcome = "completed"
	Interrupted Outcome = "interrupted"
	Failed      Outcome = "failed"
	TurnLimit   Outcome = "turn_limit" // the agent's own limit
)

// Kinds of questions.
const (
	QuestionPermission = "permission" // answered with allow or deny
	QuestionChoice     = "choice"     // with one of its options
	QuestionText       = "text"       // with words
)

// Event is one thing that an agent told.
type Event struct {
	Type     Type
	Session  string
	File     string
	Model    string
	Text     string
	Tool     string
	ToolID   string
	Failed   bool
	Question *journal.Question
	Usage    *journal.Usage
	Key      string
	Stale    bool
	Error    string
	Outcome  Outcome
}
