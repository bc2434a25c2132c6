package acp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// opened takes the answers that lead to a session: the greeting, the session,
// and then one after the other what is to be chosen of it.
func (t *talk) opened(key string, l line) agent.Heard {
	if failed := l.Error.String(); failed != "" {
		return fatal(key + " " + failed)
	}
	switch key {
	case keyInit:
		return t.greeted(l.Result)
	case keySession:
		return t.sessionOpened(l.Result)
	case keyModel, keyEffort, keyMode:
		return t.next(nil)
	}
	return agent.Heard{}
}

// greeted opens a session in a way that the agent announces.
func (t *talk) greeted(r result) agent.Heard {
	if r.Version != version {
		return fatal(fmt.Sprintf("it speaks version %d of the Agent Client Protocol, and we speak %d", r.Version, version))
	}
	can := r.Capabilities
	t.steering = r.Meta.Steering.Supported || can.Meta.Steering.Supported
	p := map[string]any{"cwd": t.task.Cwd, "mcpServers": []any{}}
	method := "session/new"
	if resumes(t.task) {
		p["sessionId"] = t.task.SessionID
		switch {
		case t.task.Context == journal.ContextFork && can.Sessions.Fork != nil:
			method = "session/fork"
		case t.task.Context == journal.ContextFork:
			return fatal("it does not announce session/fork")
		case can.Sessions.Resume != nil:
			method = "session/resume" // tells no history
		case can.Load:
			method, t.loaded = "session/load", true
		default:
			return fatal("it announces neither session/resume nor session/load: its sessions end with its process")
		}
	}
	return agent.Heard{Say: []agent.Message{{Key: keySession, Kind: agent.Setup, Line: wire.Request(keySession, method, p)}}}
}

// sessionOpened chooses what was asked for: exactly that or nothing.
func (t *talk) sessionOpened(r result) agent.Heard {
	t.session = r.SessionID
	if t.session == "" && t.task.Context == journal.ContextResume {
		t.session = t.task.SessionID
	}
	if t.session == "" {
		return fatal("it opened no session")
	}
	told := agent.Event{Type: agent.Session, Session: t.session, Model: t.modelOf(r)}
	for _, choose := range []func(result) error{t.chooseModel, t.chooseEffort, t.chooseMode} {
		if err := choose(r); err != nil {
			return agent.Heard{Events: []agent.Event{told, {Type: agent.Fatal, Error: err.Error()}}}
		}
	}
	if t.loaded && len(t.setup) == 0 && r.Modes.Current != "" {
		// Gemini goes on telling the history after its answer. Once it has
		// answered something more, that is over.
		t.choose(keyMode, "session/set_mode", map[string]any{"modeId": r.Modes.Current})
	}
	return t.next([]agent.Event{told})
}

// next says what is to be said before it is ready, or that it is.
func (t *talk) next(events []agent.Event) agent.Heard {
	if len(t.setup) == 0 {
		t.ready = true
		return agent.Heard{Events: append(events, agent.Event{Type: agent.Ready, Session: t.session, Model: t.model})}
	}
	say := t.setup[:1]
	t.setup = t.setup[1:]
	return agent.Heard{Events: events, Say: say}
}

func (t *talk) choose(key, method string, p map[string]any) {
	p["sessionId"] = t.session
	t.setup = append(t.setup, agent.Message{Key: key, Kind: agent.Setup, Line: wire.Request(key, method, p)})
}

// modelOf is the model that a session begins with.
func (t *talk) modelOf(r result) string {
	if o := optionOf(r.Options, "model"); o != nil {
		current, _ := o.Current.(string)
		return current
	}
	return r.Models.Current
}

func (t *talk) chooseModel(r result) error {
	if t.model == "" || t.model == t.modelOf(r) {
		return nil
	}
	if t.runtime.model != "" {
		return fmt.Errorf("asked for model %s, it took %q; it knows %s", t.model, t.modelOf(r), strings.Join(models(r), ", "))
	}
	known := models(r)
	o := optionOf(r.Options, "model")
	switch {
	case len(known) == 0:
		return fmt.Errorf("asked for model %s, and it does not let its model be chosen", t.model)
	case !slices.Contains(known, t.model):
		return fmt.Errorf("it has no model %s; it knows %s", t.model, strings.Join(known, ", "))
	case o != nil:
		t.choose(keyModel, "session/set_config_option", map[string]any{"configId": o.ID, "value": t.model})
	default:
		t.choose(keyModel, "session/set_model", map[string]any{"modelId": t.model})
	}
	return nil
}

func (t *talk) chooseEffort(r result) error {
	if t.task.Thinking == "" {
		return nil
	}
	o := optionOf(r.Options, "thought_level")
	if o == nil {
		return fmt.Errorf("asked for thinking %s, and it does not let it be chosen", t.task.Thinking)
	}
	if known := values(o); !slices.Contains(known, t.task.Thinking) {
		return fmt.Errorf("it has no thinking %s; it knows %s", t.task.Thinking, strings.Join(known, ", "))
	}
	t.choose(keyEffort, "session/set_config_option", map[string]any{"configId": o.ID, "value": t.task.Thinking})
	return nil
}

// chooseMode takes a permission that is not one of ours as a mode of its own.
func (t *talk) chooseMode(r result) error {
	mode := t.task.Permission
	switch mode {
	case "", journal.PermissionAllow, journal.PermissionAsk, journal.PermissionDeny:
		return nil
	}
	var known []string
	for _, m := range r.Modes.Available {
		known = append(known, m.ID)
	}
	if slices.Contains(known, mode) {
		t.choose(keyMode, "session/set_mode", map[string]any{"modeId": mode})
		return nil
	}
	o := optionOf(r.Options, "mode")
	if o != nil {
		known = values(o)
	}
	if o == nil || !slices.Contains(known, mode) {
		return fmt.Errorf("it has no mode %s; it knows %s", mode, strings.Join(known, ", "))
	}
	t.choose(keyMode, "session/set_config_option", map[string]any{"configId": o.ID, "value": mode})
	return nil
}

// optionOf is the option of a category.
func optionOf(all []config, category string) *config {
	for i := range all {
		if all[i].Category == category {
			return &all[i]
		}
	}
	return nil
}

func models(r result) []string {
	if o := optionOf(r.Options, "model"); o != nil {
		return values(o)
	}
	var all []string
	for _, m := range r.Models.Available {
		all = append(all, m.ID)
	}
	return all
}

func values(o *config) []string {
	var all []string
	for _, v := range o.Options {
		all = append(all, v.Value)
	}
	return all
}

func fatal(why string) agent.Heard {
	return agent.Heard{Events: []agent.Event{{Type: agent.Fatal, Error: why}}}
}
