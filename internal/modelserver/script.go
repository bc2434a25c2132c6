package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// NoModel begins the names of models that there are not.
const NoModel = "no-such"

// reply is what the model does next.
type reply struct {
	text   string
	call   *call
	status int
	over   time.Duration
	drop   bool
	hang   bool
	times  int // how often to fail before it works; 0 is always
}

// call is a tool call of the model.
type call struct {
	name      string
	arguments map[string]any
}

func (c call) json() string {
	b, err := json.Marshal(c.arguments)
	if err != nil {
		panic(err) // Arguments came from JSON or are strings and numbers.
	}
	return string(b)
}

func (r reply) String() string {
	switch {
	case r.hang:
		return "hang"
	case r.drop:
		return "drop"
	case r.status != 0:
		return fmt.Sprintf("status %d", r.status)
	case r.call != nil:
		return fmt.Sprintf("call %s %s", r.call.name, r.call.json())
	}
	return "text " + r.text
}

type step struct{ verb, argument string }

var (
	directive = regexp.MustCompile(`(?s)\[\[(bash|tool|say|slow|status|drop|hang)(?::(.*?))?\]\]`)
	answered  = regexp.MustCompile(`^(OK|FINAL|SAID|SLOW) ?`)
)

// script is where the conversation stands in the newest script that a user text holds.
type script struct {
	steps   []step
	results int  // tool results since the text
	later   bool // the user has said more since
	over    bool // it was answered
}

func (q Request) script() script {
	for i := len(q.Turns) - 1; i >= 0; i-- {
		found := directive.FindAllStringSubmatch(q.Turns[i].Text, -1)
		if q.Turns[i].From != FromUser || aboutContext.MatchString(q.Turns[i].Text) || found == nil {
			continue
		}
		s := script{}
		for _, m := range found {
			s.steps = append(s.steps, step{m[1], m[2]})
		}
		rest := Request{Turns: q.Turns[i+1:]}
		s.results, s.later = len(rest.Results()), len(rest.Users()) > 0
		for _, t := range rest.Turns {
			s.over = s.over || t.From == FromModel && answered.MatchString(t.Text)
		}
		return s
	}
	return script{over: true}
}

// answer decides what the model does. A call is made once: when its result is missing and the user has said
// something since, it was interrupted. An end other than text holds for its own prompt only, so that a session
// whose turn failed can go on.
func (q Request) answer() (reply, error) {
	if strings.HasPrefix(q.Model, NoModel) {
		return reply{status: http.StatusNotFound}, nil
	}
	s := q.script()
	if s.over {
		return reply{text: "OK " + q.facts()}, nil
	}
	done := reply{text: "FINAL " + q.facts()}
	if s.results >= len(s.steps) {
		return done, nil
	}
	switch at := s.steps[s.results]; {
	case at.verb == "bash" || at.verb == "tool":
		if len(q.Tools) == 0 || s.results == 0 && s.later {
			return done, nil
		}
		c, err := q.call(at)
		return reply{text: "I will run it. ", call: c}, err
	case s.later:
		return done, nil
	default:
		return q.end(at)
	}
}

func (q Request) end(at step) (reply, error) {
	switch at.verb {
	case "say":
		return reply{text: "SAID " + at.argument}, nil
	case "slow":
		seconds, err := strconv.ParseFloat(at.argument, 64)
		return reply{text: "SLOW " + strings.Repeat("word ", 40) + q.facts(), over: time.Duration(seconds * float64(time.Second))}, err
	case "status":
		code, times, _ := strings.Cut(at.argument, ":")
		r := reply{text: "FINAL " + q.facts()}
		var err error
		if r.status, err = strconv.Atoi(code); err != nil {
			return r, err
		}
		r.times, err = count(times)
		return r, err
	case "drop":
		times, err := count(at.argument)
		return reply{text: "FINAL " + q.facts(), drop: true, times: times}, err
	}
	return reply{hang: true}, nil
}

// count reads a number that may be left out.
func count(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	return strconv.Atoi(text)
}
