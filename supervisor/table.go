package supervisor

import (
	"fmt"
	"strings"
)

// State is where the supervisor stands with one run. It is not the phase that
// people see: that is derived from the records.
type State int

// States of a run.
const (
	Queued    State = iota // admitted or about to be, nothing started
	Starting               // a shim has the assignment
	Running                // the child's program runs
	Leaving                // an agent has answered all it was asked and is let go
	Dismissed              // it did not leave, and was sent its signal
	Asked                  // it was asked to end, the grace runs
	Forced                 // KILL was sent, the proof is awaited
	Verifying              // it has ended, and whether its work is done is being checked
	Settled                // the result is there; nothing happens any more
	states
)

var stateNames = [...]string{"queued", "starting", "running", "leaving", "dismissed", "asked", "forced", "verifying", "settled"}

func (s State) String() string { return stateNames[s] }

// Event is what can happen to a run.
type Event int

// Events, in any order and at any time: the table says what each means in
// each state.
const (
	EvAdmit    Event = iota // a slot is free: start it
	EvStarted               // the shim reports that the program runs
	EvRetry                 // the shim is gone and nothing was recorded: nothing ran
	EvStop                  // somebody or a limit orders the end
	EvAnswered              // an agent has come to the end of all that it was asked
	EvSilent                // an agent that was told to stop has stopped its turn, or had its time to
	EvLinger                // an agent that has answered is still there
	EvGrace                 // the grace is over
	EvPatience              // KILL was sent long ago and the end is not proven
	EvExit                  // the exit record is there
	EvShimLost              // the shim died and left no exit record
	EvGiveUp                // it has waited for too long, or its plan has nothing left for it
	EvBlocked               // something it needs did not complete
	EvVerify                // the exit record is there, all went well, and checks are asked for
	EvVerified              // they have been run
	events
)

var eventNames = [...]string{"admit", "started", "retry", "stop", "answered", "silent", "linger", "grace", "patience", "exit", "shim-lost", "give-up", "blocked", "verify", "verified"}

func (e Event) String() string { return eventNames[e] }

// Action is what the supervisor does about it, in the order of the list.
type Action int

// Actions.
const (
	DoLaunch      Action = iota // give the run to a shim
	DoRecordStop                // make stop.json durable; always before the first signal
	DoAsk                       // an agent in its own words; TERM, then CONT, to any other child
	DoTerm                      // TERM, then CONT, to the child
	DoLeave                     // end the agent's stdin, or what its way out is
	DoArmGrace                  // start the grace
	DoHurry                     // shorten the grace to what the new order says
	DoForce                     // KILL the child, and tell the shim to spare no one
	DoArmPatience               // start waiting for the proof
	DoSayUnproven               // note in the events what is still there
	DoAdopt                     // do the dead shim's work: wait, clear, record
	DoWithdraw                  // settle a run that never started
	DoBlock                     // settle a run that lacks what it needs
	DoVerify                    // run the checks
	DoStopChecks                // end the one that runs and begin no other
	DoSettle                    // write the result from the records
)

var actionNames = [...]string{"launch", "record-stop", "ask", "term", "leave", "arm-grace", "hurry", "force", "arm-patience", "say-unproven", "adopt", "withdraw", "block", "verify", "stop-checks", "settle"}

func (a Action) String() string { return actionNames[a] }

// step is one cell of the table.
type step struct {
	next State
	do   []Action
}

func to(s State, do ...Action) *step { return &step{s, do} }

// table is the supervisor's whole behaviour towards one run. A nil cell is an
// event that cannot mean anything in that state and is passed over; each is
// listed with its reason in ignored, and a test walks every pair.
var table = [states][events]*step{
	Queued: {
		EvAdmit:   to(Starting, DoLaunch),
		EvStop:    to(Settled, DoRecordStop, DoWithdraw),
		EvGiveUp:  to(Settled, DoRecordStop, DoWithdraw),
		EvBlocked: to(Settled, DoBlock),
		EvExit:    to(Settled, DoSettle),
	},
	Starting: {
		EvStarted:  to(Running),
		EvRetry:    to(Starting, DoLaunch),
		EvStop:     to(Asked, DoRecordStop, DoAsk, DoArmGrace),
		EvExit:     to(Settled, DoSettle),
		EvVerify:   to(Verifying, DoVerify),
		EvShimLost: to(Running, DoAdopt),
	},
	Running: {
		EvStop:     to(Asked, DoRecordStop, DoAsk, DoArmGrace),
		EvAnswered: to(Leaving, DoLeave),
		EvExit:     to(Settled, DoSettle),
		EvVerify:   to(Verifying, DoVerify),
		EvShimLost: to(Running, DoAdopt),
	},
	Leaving: {
		EvStop:     to(Asked, DoRecordStop, DoAsk, DoArmGrace),
		EvLinger:   to(Dismissed, DoTerm, DoArmGrace),
		EvExit:     to(Settled, DoSettle),
		EvVerify:   to(Verifying, DoVerify),
		EvShimLost: to(Leaving, DoAdopt),
	},
	Dismissed: {
		EvStop:     to(Asked, DoRecordStop, DoHurry),
		EvGrace:    to(Forced, DoForce, DoArmPatience),
		EvExit:     to(Settled, DoSettle),
		EvVerify:   to(Verifying, DoVerify),
		EvShimLost: to(Dismissed, DoAdopt),
	},
	Asked: {
		EvStarted:  to(Asked, DoAsk, DoArmGrace),
		EvSilent:   to(Asked, DoTerm),
		EvRetry:    to(Settled, DoWithdraw),
		EvStop:     to(Asked, DoHurry),
		EvGrace:    to(Forced, DoForce, DoArmPatience),
		EvExit:     to(Settled, DoSettle),
		EvVerify:   to(Verifying, DoVerify),
		EvShimLost: to(Asked, DoAdopt, DoAsk),
	},
	Forced: {
		EvStarted:  to(Forced, DoForce),
		EvRetry:    to(Settled, DoWithdraw),
		EvStop:     to(Forced, DoForce),
		EvPatience: to(Forced, DoSayUnproven, DoForce, DoArmPatience),
		EvExit:     to(Settled, DoSettle),
		EvVerify:   to(Verifying, DoVerify),
		EvShimLost: to(Forced, DoAdopt, DoForce),
	},
	Verifying: {
		EvStop:     to(Verifying, DoRecordStop, DoStopChecks),
		EvVerified: to(Settled, DoSettle),
	},
	Settled: {},
}

// ignored says why a pair has no entry.
var ignored = map[State]map[Event]string{
	Queued: {
		EvStarted:  "no shim has it",
		EvRetry:    "no shim has it",
		EvAnswered: "nobody talks with it yet",
		EvSilent:   "nobody talks with it yet",
		EvLinger:   "nobody talks with it yet",
		EvGrace:    "no grace was armed",
		EvPatience: "no KILL was sent",
		EvShimLost: "no shim has it",
		EvVerify:   "nothing of it has run",
		EvVerified: "nothing is checked yet",
	},
	Starting: {
		EvAdmit:    "it has its slot",
		EvAnswered: "nobody talks with it yet",
		EvSilent:   "nobody talks with it yet",
		EvLinger:   "nobody talks with it yet",
		EvGrace:    "no grace was armed",
		EvPatience: "no KILL was sent",
		EvGiveUp:   "it has its slot",
		EvBlocked:  "it has its slot",
		EvVerified: "nothing is checked yet",
	},
	Running: {
		EvAdmit:    "it has its slot",
		EvStarted:  "said twice: by the report and by the record",
		EvRetry:    "what runs is never started again (P2)",
		EvSilent:   "nobody told it to stop",
		EvLinger:   "it was not let go",
		EvGrace:    "no grace was armed",
		EvPatience: "no KILL was sent",
		EvGiveUp:   "it has its slot",
		EvBlocked:  "it has its slot",
		EvVerified: "nothing is checked yet",
	},
	Leaving: {
		EvAdmit:    "it is ending",
		EvStarted:  "said twice: by the report and by the record",
		EvRetry:    "what runs is never started again (P2)",
		EvAnswered: "it was let go already; another answer is folded into the first",
		EvSilent:   "nobody told it to stop",
		EvGrace:    "no grace was armed",
		EvPatience: "no KILL was sent",
		EvGiveUp:   "it has its slot",
		EvBlocked:  "it has its slot",
		EvVerified: "nothing is checked yet",
	},
	Dismissed: {
		EvAdmit:    "it is ending",
		EvStarted:  "said twice: by the report and by the record",
		EvRetry:    "what runs is never started again (P2)",
		EvAnswered: "it was let go already; another answer is folded into the first",
		EvSilent:   "nobody told it to stop",
		EvLinger:   "the grace runs",
		EvPatience: "no KILL was sent",
		EvGiveUp:   "it has its slot",
		EvBlocked:  "it has its slot",
		EvVerified: "nothing is checked yet",
	},
	Asked: {
		EvAdmit:    "it is ending",
		EvAnswered: "it is ending",
		EvLinger:   "the grace runs",
		EvPatience: "no KILL was sent",
		EvGiveUp:   "it is ending",
		EvBlocked:  "it is ending",
		EvVerified: "nothing is checked yet",
	},
	Forced: {
		EvAdmit:    "it is ending",
		EvAnswered: "it is ending",
		EvSilent:   "KILL was sent",
		EvLinger:   "KILL was sent",
		EvGrace:    "a timer that was about to be stopped",
		EvGiveUp:   "it is ending",
		EvBlocked:  "it is ending",
		EvVerified: "nothing is checked yet",
	},
	Verifying: {
		EvAdmit:    "it has ended",
		EvStarted:  "it has ended",
		EvRetry:    "it has ended",
		EvAnswered: "it has ended",
		EvSilent:   "it has ended",
		EvLinger:   "a timer that was about to be stopped",
		EvGrace:    "a timer that was about to be stopped",
		EvPatience: "a timer that was about to be stopped",
		EvExit:     "said twice: by the shim's end and by the record",
		EvShimLost: "the shim left because its work was done",
		EvGiveUp:   "it has ended",
		EvBlocked:  "it has ended",
		EvVerify:   "said twice: by the shim's end and by the record",
	},
	Settled: {
		EvAdmit:    "it is over",
		EvStarted:  "it is over",
		EvRetry:    "it is over",
		EvStop:     "it is over; the command is answered as such at admission",
		EvAnswered: "it is over",
		EvSilent:   "it is over",
		EvLinger:   "a timer that was about to be stopped",
		EvGrace:    "a timer that was about to be stopped",
		EvPatience: "a timer that was about to be stopped",
		EvExit:     "said twice: by the shim's end and by the record",
		EvShimLost: "the shim left because its work was done",
		EvGiveUp:   "it is over",
		EvBlocked:  "it is over",
		EvVerify:   "said twice: by the shim's end and by the record",
		EvVerified: "it is over",
	},
}

// Step is the pure transition: what to become and what to do.
func Step(s State, e Event) (State, []Action) {
	if c := table[s][e]; c != nil {
		return c.next, c.do
	}
	return s, nil
}

// Table renders the table for the documentation, one row a pair.
func Table() string {
	var out strings.Builder
	out.WriteString("| state | event | becomes | does |\n|---|---|---|---|\n")
	for s := range states {
		for e := range events {
			becomes, does := "–", ignored[s][e]
			if c := table[s][e]; c != nil {
				becomes, does = c.next.String(), "**"+strings.Join(names(c.do), ", ")+"**"
				if len(c.do) == 0 {
					does = "nothing"
				}
			}
			fmt.Fprintf(&out, "| %v | %v | %s | %s |\n", s, e, becomes, does)
		}
	}
	return out.String()
}

func names(actions []Action) []string {
	list := make([]string, len(actions))
	for i, a := range actions {
		list[i] = a.String()
	}
	return list
}
