package talk

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

const (
	lineWidth   = 200 // characters of what a tool does
	outputLines = 10  // the last ones of what a tool put out
)

// Printer writes a transcript for people. Brief leaves out what was said: then
// it is the progress of a run, a line for each thing.
type Printer struct {
	To    io.Writer
	Brief bool
	Err   error // the first of writing

	began bool
	tool  string // whose output may follow without a gap
	text  bool   // the agent said something in this turn
}

// Ear is what tells the printer.
func (p *Printer) Ear() Ear { return Ear{Heard: p.Heard, Said: p.Said} }

// Heard prints an event.
func (p *Printer) Heard(e agent.Event) {
	switch e.Type {
	case agent.TurnBegan:
		p.text = false
	case agent.Text:
		p.text = true
		if !p.Brief {
			p.block(e.Text)
		}
	case agent.ToolBegan:
		p.block("[" + e.Tool + "] " + OneLine(e.Text))
		p.tool = e.ToolID
	case agent.ToolEnded:
		p.toolEnded(e)
	case agent.Asked:
		if !p.Brief { // told in its own way, with how to answer
			p.block(fmt.Sprintf("? %s %s: %s", e.Question.Kind, e.Question.ID, strings.TrimSpace(e.Question.Tool+" "+e.Question.Text)))
		}
	case agent.Notice, agent.Compacted:
		p.block("note: " + OneLine(e.Text))
	case agent.Retrying:
		p.block("note: it tries again: " + OneLine(e.Error))
	case agent.Refused:
		p.block("error: not taken: " + OneLine(e.Error))
	case agent.Fatal:
		p.block("error: " + OneLine(e.Error))
	case agent.TurnEnded:
		p.turnEnded(e)
	}
}

func (p *Printer) toolEnded(e agent.Event) {
	if p.Brief {
		if e.Failed {
			p.block("failed: " + OneLine(e.Text))
		}
		return
	}
	lines := strings.Split(strings.TrimRight(e.Text, "\n"), "\n")
	if cut := len(lines) - outputLines; cut > 0 {
		lines = append([]string{fmt.Sprintf("… %d lines before", cut)}, lines[cut:]...)
	}
	if e.Failed {
		lines = append(lines, "(failed)")
	}
	text := ""
	for _, line := range lines {
		if line != "" {
			text += "    " + cli.Shorten(line, lineWidth) + "\n"
		}
	}
	if text == "" {
		return
	}
	if p.tool != e.ToolID {
		p.gap()
	}
	p.write(text)
}

func (p *Printer) turnEnded(e agent.Event) {
	if !p.text && !p.Brief && e.Text != "" {
		p.block(e.Text)
	}
	switch {
	case e.Outcome == agent.Interrupted:
		p.block("note: the turn was interrupted")
	case e.Error != "":
		p.block("error: " + OneLine(e.Error))
	}
}

// Said prints what was said to the agent.
func (p *Printer) Said(s journal.Said, text string) {
	if p.Brief {
		return
	}
	switch agent.Kind(s.Kind) {
	case agent.Prompt, agent.Steer:
		p.block("> " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n> "))
	case agent.Interrupt:
		p.block("> (interrupt)")
	case agent.Answer:
		p.block(fmt.Sprintf("> (answer to %s) %s", s.Question, s.Answer))
	}
}

// block prints something of its own.
func (p *Printer) block(text string) {
	if text = strings.TrimRight(text, " \n"); text == "" {
		return
	}
	p.gap()
	p.tool = ""
	p.write(text + "\n")
}

// gap keeps the blocks of a transcript apart.
func (p *Printer) gap() {
	if p.began && !p.Brief {
		p.write("\n")
	}
	p.began = true
}

func (p *Printer) write(text string) {
	if p.Err == nil {
		_, p.Err = io.WriteString(p.To, harmless(text))
	}
}

// OneLine is the beginning of a text, on one line and harmless to terminals.
func OneLine(s string) string {
	if len(s) > 8*lineWidth {
		s = s[:8*lineWidth]
	}
	return harmless(cli.Shorten(strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " "), lineWidth))
}

// harmless takes from a text what could move a terminal's cursor.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}
