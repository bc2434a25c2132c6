package agent

import (
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
)

// Task is what a run asks of its agent.
type Task struct {
	journal.Agent
	RunID   string
	Cwd     string
	Context string // journal.ContextFresh, …Resume, …Fork
}

// Runtime is one kind of agent and how it is spoken to.
type Runtime interface {
	// Name is what --runtime and the records call it.
	Name() string
	// Programs are the names to look for in PATH, the best first.
	Programs() []string
	// Command says how the program is started for a task. The error is for a
	// person: what was asked for cannot be had from this agent.
	Command(Task) (Invocation, error)
	// Talk begins the conversation of one process.
	Talk(Task) Talk
	// Parting says how a process that has nothing more to do is let go, and how
	// one that is to be stopped is asked once its turn is ended.
	Parting() Parting
	// Abilities says what can be had from this agent at all.
	Abilities() Abilities
}

// Invocation is how a program is started: arguments after its name, and
// variables that the caller's environment gets where it does not set them.
type Invocation struct {
	Args []string
	Env  []string // K=V
}

// Parting is the agent's clean way out.
type Parting struct {
	EOF    bool           // it leaves when its stdin ends
	Signal syscall.Signal // the signal it leaves upon, after EOF where both are set; 0: none is needed to leave
	Stop   syscall.Signal // the signal that ends it when it is to be stopped
}

// Abilities of a runtime: empty is yes, else why not.
type Abilities struct {
	Steer, Interrupt, Continue, Fork, Questions, Usage, Cost string
}

// Kind is what a message is.
type Kind string

// Kinds of messages.
const (
	Setup     Kind = "setup"     // the protocol's own business; nobody waits for what becomes of it
	Prompt    Kind = "prompt"    // begins a turn
	Steer     Kind = "steer"     // guidance into a running turn
	Interrupt Kind = "interrupt" // ends the running turn
	Answer    Kind = "answer"    // to a question
)

// Message is something to say. Its key is unique in the run and the same in
// every replay: what was said once is never said again. Keys of orders are
// the ids of their commands; a talk takes its own from its protocol, with a
// colon in them so that they are never an id.
type Message struct {
	Key  string
	Kind Kind
	Line []byte // without the newline

	Question string // of an answer: to what
	Answer   string // and which: allow, deny, or the text
}

// Talk is the conversation with one process, folded from its stream. The
// methods that encode change nothing: a message counts once Said is called,
// which a replay does at the same place in the stream.
type Talk interface {
	// Open returns what is said before anything was heard.
	Open() []Message
	// Begin returns the task's own prompt, said with the key "prompt:first"
	// once the talk is ready (see Ready). Nil: Open contained it.
	Begin() []Message
	// Hear takes one line of the stream, without its newline. What is not
	// understood is passed over: an agent may say more than we know.
	Hear(line []byte) Heard
	// Said takes note of a message that was given to the agent.
	Said(key string, kind Kind)

	// Prompt, Steer, Interrupt and Answer encode an order. The error is for a
	// person: why it cannot be given to this agent (now).
	Prompt(key, text string) ([]Message, error)
	Steer(key, text string) ([]Message, error)
	Interrupt(key string) ([]Message, error)
	Answer(key string, q journal.Question, answer string) ([]Message, error)
}

// Later is the error of a Steer that would do harm in the running turn. It is
// to be given as a Prompt, once that turn has ended.
type Later struct{ Why string }

func (l Later) Error() string { return l.Why }

// Heard is what one line meant.
type Heard struct {
	Events []Event
	Say    []Message // what the protocol wants in return, whoever has to be asked
}
