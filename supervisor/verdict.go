package supervisor

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/supervisor/conversation"
)

// verdict turns the protocol's word and the judgement over the exit into the
// result of an agent's run. An order of ours and a restart of the machine come
// first, then what the protocol said; the exit code says something only where
// the protocol said nothing.
func verdict(judged journal.Result, s *agent.State, stderr string) journal.Result {
	v := s.View
	v.Doing, v.Phase = "", agent.PhaseOver
	judged.Talk = &v
	if text := s.FinalText(); text != "" {
		judged.FinalText = &text
	}
	if judged.Status == journal.StatusStopped || judged.Cause == journal.CauseSpawn {
		return judged
	}
	ended := s.Ended
	switch {
	case s.Working || ended == nil || len(s.Pending) > 0:
		if judged.Status == journal.StatusCompleted {
			judged.Status, judged.Cause = journal.StatusFailed, journal.CauseNoEnding
		}
		judged.Error = firstOf(judged.Error, s.Error, stderr, "it ended without an answer")
	case ended.Outcome == agent.Completed:
		judged.Status, judged.Cause, judged.Error = journal.StatusCompleted, "", ""
	case ended.Outcome == agent.Interrupted:
		judged.Status, judged.Cause = journal.StatusFailed, journal.CauseInterrupted
	case ended.Outcome == agent.TurnLimit:
		judged.Status, judged.Cause, judged.Error = journal.StatusFailed, journal.CauseTurnLimit, ended.Error
	default:
		judged.Status, judged.Cause = journal.StatusFailed, journal.CauseAgent
		judged.Error = firstOf(ended.Error, s.Error, stderr)
	}
	return judged
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// agentResult completes the result of a run whose agent was started.
func (r *run) agentResult(judged journal.Result) journal.Result {
	var c *conversation.Conversation
	if t := r.talking(); t != nil {
		c = t.end()
	}
	if c == nil {
		var err error
		if c, err = conversation.Read(r.s.home, r.launch, nil); err != nil {
			r.s.log.Printf("run %s: %v", r.id, err)
			judged.Error = firstOf(judged.Error, err.Error())
			return judged
		}
	}
	defer c.Close()
	result := verdict(judged, &c.State, lastWords(r.s.home.File(r.id, journal.StderrFile)))
	result.Talk.Heard, result.Talk.At = c.Heard, judged.EndedAt
	life := result.Talk.Usage
	if r.launch.Predecessor != "" {
		var before journal.Result
		if journal.Read(r.s.home.File(r.launch.Predecessor, journal.ResultFile), &before) == nil && before.LifeUsage != nil {
			life = life.Add(*before.LifeUsage)
		}
	}
	result.LifeUsage = &life
	return result
}

// maxLastWords bounds how much of stderr stands for an error.
const maxLastWords = 2 << 10

// lastWords is the end of what a child wrote to stderr.
func lastWords(path string) string { return tail(path, maxLastWords) }

// tail is the end of a file as text, without white space around it; at most so
// many bytes. What cannot be read is "".
func tail(path string, most int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if size, err := f.Seek(0, io.SeekEnd); err == nil {
		f.Seek(max(0, size-most), io.SeekStart)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(bytes.TrimSpace(b)), ""))
}
