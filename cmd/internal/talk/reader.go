// Package talk shows people what an agent and we said to each other: the
// transcript, the progress of a run that is waited for, and its last word. It
// makes the conversation anew from the run's files and changes nothing.
package talk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/runtimes"
	"github.com/agent-runs/agent-runs/supervisor/conversation"
)

// Ear is told both sides of a conversation, in order.
type Ear struct {
	Heard func(agent.Event)
	Said  func(s journal.Said, text string) // text: of a prompt or guidance
}

// Reader follows one run's conversation as its files grow.
type Reader struct {
	fold   *agent.Fold
	ear    Ear
	home   journal.Home
	launch *journal.Launch

	out      *os.File // nil until the agent has one
	buf      []byte
	listEnd  int64          // of what was read of the list of messages
	bytesEnd int64          // where the last message read ends in said.log
	pending  []journal.Said // listed and not come to yet
	prompted bool
}

// Open begins to read the conversation of a run.
func Open(h journal.Home, l *journal.Launch, ear Ear) (*Reader, error) {
	r := runtimes.Of(l.Program.Runtime)
	if r == nil || l.Agent == nil {
		return nil, fmt.Errorf("this program does not know how %s speaks", l.Program.Runtime)
	}
	return &Reader{fold: agent.NewFold(r, conversation.TaskOf(*l), ear.Heard), ear: ear, home: h, launch: l, buf: make([]byte, 64<<10)}, nil
}

// State is the conversation as far as it was read.
func (r *Reader) State() *agent.State { return &r.fold.State }

// Close lets go of the files.
func (r *Reader) Close() {
	if r.out != nil {
		r.out.Close()
	}
}

// Advance reads what is new. How far the stream goes is looked at before the
// list of messages is read: so whatever the agent answered is on the list.
func (r *Reader) Advance() error {
	size, err := r.size()
	if err == nil {
		err = r.readList()
	}
	for err == nil {
		if err = r.tell(); err != nil || r.fold.Next() >= size {
			return err
		}
		end := size
		if len(r.pending) > 0 { // not past the place where something was said
			end = min(end, r.pending[0].At)
		}
		var n int
		n, err = r.out.ReadAt(r.buf[:min(int64(len(r.buf)), end-r.fold.Next())], r.fold.Next())
		r.fold.Write(r.buf[:n])
	}
	if errors.Is(err, io.EOF) {
		return nil // it became shorter, which is for others to tell
	}
	return err
}

// size is that of the agent's stream by now.
func (r *Reader) size() (int64, error) {
	if r.out == nil {
		f, err := os.Open(r.home.File(r.launch.ID, journal.StdoutFile))
		if errors.Is(err, fs.ErrNotExist) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		r.out = f
	}
	info, err := r.out.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// readList takes the whole lines that were added to the list of messages.
func (r *Reader) readList() error {
	f, err := os.Open(r.home.File(r.launch.ID, journal.SaidFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	body, err := io.ReadAll(io.NewSectionReader(f, r.listEnd, 1<<40))
	if err != nil {
		return err
	}
	body = body[:bytes.LastIndexByte(body, '\n')+1]
	r.listEnd += int64(len(body))
	for line := range bytes.Lines(body) {
		var s journal.Said
		if json.Unmarshal(line, &s) == nil {
			r.pending = append(r.pending, s)
		}
	}
	return nil
}

// tell takes note of what was said up to where the reading stands.
func (r *Reader) tell() error {
	for len(r.pending) > 0 && r.pending[0].At <= r.fold.Next() {
		s := r.pending[0]
		r.pending = r.pending[1:]
		r.fold.Said(s)
		text, err := r.words(s)
		if err != nil {
			return err
		}
		if r.ear.Said != nil {
			r.ear.Said(s, text)
		}
	}
	return nil
}

// words is what a message says, apart from how the protocol wraps it.
func (r *Reader) words(s journal.Said) (string, error) {
	from := r.bytesEnd
	r.bytesEnd = s.End
	kind := agent.Kind(s.Kind)
	if r.ear.Said == nil || kind != agent.Prompt && kind != agent.Steer || s.End <= from {
		return "", nil
	}
	if kind == agent.Prompt && !r.prompted {
		r.prompted = true
		return r.launch.Agent.Prompt, nil
	}
	f, err := os.Open(r.home.File(r.launch.ID, journal.SaidLogFile))
	if err != nil {
		return "", err
	}
	defer f.Close()
	line, err := io.ReadAll(io.NewSectionReader(f, from, s.End-from))
	return wordsIn(line), err
}

// wordsIn finds what a person said in a message of whichever protocol: they
// all are JSON and keep it in a "message", "content" or "text".
func wordsIn(line []byte) string {
	var v any
	if json.Unmarshal(line, &v) != nil {
		return string(line)
	}
	var words []byte
	var look func(v any, said bool)
	look = func(v any, said bool) {
		switch v := v.(type) {
		case string:
			if said {
				words = append(append(words, v...), '\n')
			}
		case []any:
			for _, e := range v {
				look(e, said)
			}
		case map[string]any:
			for _, name := range []string{"params", "prompt", "input", "message", "content", "text"} {
				look(v[name], name == "message" || name == "content" || name == "text")
			}
		}
	}
	look(v, false)
	return string(bytes.TrimSpace(words))
}

// FinalText is the agent's last word, or what it would be if the run ended now.
func FinalText(h journal.Home, v cli.View) (string, error) {
	if v.FinalText != nil {
		return *v.FinalText, nil
	}
	r, err := Open(h, v.Launch, Ear{})
	if err != nil {
		return "", err
	}
	defer r.Close()
	err = r.Advance()
	return r.State().FinalText(), err
}

// Now is the view with the conversation as the files tell it at this moment:
// the record of it is written a little later.
func Now(h journal.Home, v cli.View) cli.View {
	r, err := Open(h, v.Launch, Ear{})
	if err != nil {
		return v
	}
	defer r.Close()
	if r.Advance() == nil {
		v.Conversation = &r.State().View
	}
	return v
}
