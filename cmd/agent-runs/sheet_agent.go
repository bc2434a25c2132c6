package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/talk"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent/runtimes"
)

// agentRows are the lines of the sheet that only an agent's run has.
func agentRows(v cli.View, row func(name, value string)) {
	a := v.Agent
	row("agent", strings.TrimSpace(v.Runtime+" "+a.Version))
	row("prompt", oneLineOf(a.Prompt))
	row("asked for", askedFor(a))
	row("goes on from", v.Predecessor)
	row("goes on in", v.Successor)
	if c := v.Conversation; c != nil {
		talkRows(v, c, row)
	}
	if v.FinalText != nil && *v.FinalText != "" {
		row("said", oneLineOf(*v.FinalText))
	}
}

func talkRows(v cli.View, c *journal.Conversation, row func(name, value string)) {
	session, file := v.Session()
	row("session", strings.TrimSpace(session+" "+file))
	row("model", c.Model)
	if v.Phase != journal.PhaseTerminal {
		row("doing", strings.Trim(c.Phase+", "+oneLineOf(c.Doing), ", "))
	}
	row("turns", strconv.Itoa(c.Turns))
	row("tools", toolWords(c))
	row("tokens", tokenWords(c.Usage))
	row("cost", costWords(c.Usage))
	if v.Predecessor != "" && v.LifeUsage != nil {
		row("in all", strings.Trim(tokenWords(*v.LifeUsage)+", "+costWords(*v.LifeUsage), ", "))
	}
	for _, q := range v.OpenQuestions() {
		row("asks", talk.Asking(q)+" · "+talk.HowToAnswer(v.ID, q))
	}
	if c.Denied > 0 {
		row("denied", plural(c.Denied, "permission"))
	}
	for _, n := range c.Notices {
		row("note", oneLineOf(n))
	}
}

// askedFor is what the caller wanted besides the prompt.
func askedFor(a *journal.Agent) string {
	words := []string{"permission " + a.Permission}
	for _, w := range []struct{ name, value string }{{"model", a.Model}, {"thinking", a.Thinking}, {"tools", strings.Join(a.Tools, ",")}, {"system prompt", oneLineOf(a.SystemPrompt)}} {
		if w.value != "" {
			words = append(words, w.name+" "+w.value)
		}
	}
	return strings.Join(words, ", ")
}

func toolWords(c *journal.Conversation) string {
	if c.Tools == 0 {
		return "none used"
	}
	return plural(c.Tools, "call") + " of " + cli.Some(append([]string{}, c.ToolNames...))
}

func tokenWords(u journal.Usage) string {
	words := fmt.Sprintf("%d input, %d output, %d from cache, %d to cache", u.Input, u.Output, u.CacheRead, u.CacheWrite)
	if u.Reasoning > 0 {
		words += fmt.Sprintf(" (%d of the output reasoning)", u.Reasoning)
	}
	return words
}

func costWords(u journal.Usage) string {
	if u.CostUSD == nil {
		return ""
	}
	return "$" + strconv.FormatFloat(*u.CostUSD, 'f', 6, 64)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// agentLimits are the limits that only agents have, in words.
func agentLimits(l journal.Limits) []string {
	var words []string
	if l.MaxTurns > 0 {
		words = append(words, fmt.Sprintf("turns %d, of which %d to wrap up", l.MaxTurns, l.ReservedTurns))
	}
	if l.MaxTokens > 0 {
		words = append(words, fmt.Sprintf("tokens %d", l.MaxTokens))
	}
	if l.MaxCostUSD > 0 {
		words = append(words, fmt.Sprintf("cost $%g", l.MaxCostUSD))
	}
	return words
}

// agentGoOn lists the commands that make sense with an agent now.
func agentGoOn(v cli.View) []string {
	switch {
	case v.Phase != journal.PhaseTerminal:
		return []string{"agent-runs logs -f " + v.ID, "agent-runs wait " + v.ID, "agent-runs steer " + v.ID + " TEXT", "agent-runs interrupt " + v.ID, "agent-runs stop " + v.ID}
	case v.Successor != "":
		return []string{"agent-runs logs " + v.ID, "agent-runs continue " + v.Successor + " PROMPT"}
	}
	next := []string{"agent-runs logs " + v.ID, "agent-runs inspect --offset 0 " + v.ID}
	if session, file := v.Session(); session+file != "" && canContinue(v.Runtime) {
		next = append(next, "agent-runs continue "+v.ID+" PROMPT")
	}
	return append(next, "agent-runs rm "+v.ID)
}

func canContinue(runtime string) bool {
	r := runtimes.Of(runtime)
	return r != nil && r.Abilities().Continue == ""
}

// oneLineOf is the beginning of a text, on one line.
func oneLineOf(s string) string { return talk.OneLine(s) }
