package supervisor

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/supervisor/conversation"
)

// partOf is what every part of a run takes from it.
func (c *checks) partOf(id string) journal.Launch {
	l := c.r.launch
	return journal.Launch{Version: journal.Version, ID: id, RootID: id, PartOf: l.ID, Owner: l.Owner, Cwd: l.Cwd, Context: journal.ContextFresh,
		Tree: l.Tree, Umask: l.Umask, Rlimits: l.Rlimits, Priority: l.Priority, Asker: c.r.s.self.Identity, CreatedAt: time.Now().UTC()}
}

// part makes a part of the run, once whoever tries, and waits for its end.
// name is the record that says which run it is.
func (c *checks) part(name string, fill func(id string) (journal.Launch, error)) (id string, result *journal.Result, err error) {
	s := c.r.s
	if id, err = c.claim(name); err != nil {
		return "", nil, err
	}
	c.mu.Lock()
	c.at = id
	c.mu.Unlock()
	over := s.awaitEnd(id)
	if err := c.post(id, fill); err != nil {
		return id, nil, err // nobody ends the waiting; its channel goes with the run
	}
	if c.stopped() { // it may have been ordered before there was anything to end
		c.end(id)
	}
	<-over
	c.mu.Lock()
	c.at = ""
	c.mu.Unlock()
	result, err = journal.ReadResult(s.home, id)
	return id, result, err
}

// checkFile and followUpFile name the records of which run a part is.
func checkFile(attempt, step int) string { return fmt.Sprintf("verify-%d-%d.json", attempt, step+1) }
func followUpFile(attempt int) string    { return fmt.Sprintf("followup-%d.json", attempt) }

// begun reports whether a part was named, here or by a supervisor before us:
// it is seen to its end then.
func (c *checks) begun(name string) bool {
	_, err := os.Lstat(c.r.s.home.File(c.r.id, name))
	return err == nil
}

// claim names the part, or finds how it was named by a supervisor before us.
func (c *checks) claim(name string) (string, error) {
	s, path := c.r.s, c.r.s.home.File(c.r.id, name)
	p := journal.Part{Version: journal.Version, ID: c.r.id, RunID: journal.NewID(time.Now())}
	var failed error
	s.insist(c.r.id, func() error {
		failed = journal.WriteOnce(path, p)
		return failed
	})
	if errors.Is(failed, journal.ErrExists) {
		p = journal.Part{}
		if err := journal.Read(path, &p); err != nil {
			return "", fmt.Errorf("which run it was cannot be read: %w", err)
		}
	}
	return p.RunID, nil
}

// post asks for the part, unless that was done before.
func (c *checks) post(id string, fill func(id string) (journal.Launch, error)) error {
	s := c.r.s
	if _, err := ipc.Admission(s.home, id); !errors.Is(err, journal.ErrMissing) {
		return nil // it was taken up
	}
	l, err := journal.ReadLaunch(s.home, id)
	if errors.Is(err, journal.ErrMissing) && c.stopped() {
		return errors.New("it was stopped before it was begun")
	}
	if errors.Is(err, journal.ErrMissing) {
		if l, err = c.make(id, fill); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	command := journal.Command{Version: journal.Version, ID: id, RunID: id, Action: journal.ActionRun, Actor: l.Owner, CreatedAt: l.CreatedAt}
	s.insist(id, func() error { return ipc.Post(s.home, command) })
	return nil
}

// make writes the part's launch record. An agent's part goes on with a
// session, which it claims like every successor.
func (c *checks) make(id string, fill func(id string) (journal.Launch, error)) (*journal.Launch, error) {
	s := c.r.s
	l, err := fill(id)
	if err != nil {
		return nil, err
	}
	if l.EnvFile, err = launch.LinkEnv(c.r.launch.Verify.EnvFile, id); err != nil {
		return nil, err
	}
	s.insist(c.r.id, func() error {
		err := os.Mkdir(s.home.Run(id), 0o700)
		if errors.Is(err, os.ErrExist) {
			return nil
		}
		return err
	})
	s.insist(id, func() error {
		var b journal.Batch
		err := b.Add(s.home.File(id, journal.LaunchFile), l)
		b.AddDir(s.home.Runs())
		return errors.Join(err, b.Commit())
	})
	return &l, nil
}

// followUp hands the failure back to the agent's session. Nil: it could not,
// and the verdict stands.
func (c *checks) followUp(attempt int, before *journal.Result, prompt string) *journal.Result {
	id, result, err := c.part(followUpFile(attempt), func(id string) (journal.Launch, error) {
		return c.successor(id, attempt, before, prompt)
	})
	if err != nil {
		c.r.s.log.Printf("run %s: its follow-up %s: %v", c.r.id, id, err)
		return nil
	}
	return result
}

// successor is the run that goes on with the session of the one before.
func (c *checks) successor(id string, attempt int, before *journal.Result, prompt string) (journal.Launch, error) {
	l, old := c.partOf(id), c.r.launch
	if old.Agent == nil || before.Talk == nil || before.Talk.SessionID+before.Talk.SessionFile == "" {
		return l, errors.New("its agent never told the name of its session")
	}
	runtime := c.r.runtime()
	if runtime == nil {
		return l, fmt.Errorf("there is no runtime %q here", old.Program.Runtime)
	}
	a := *old.Agent
	a.Prompt, a.SessionID, a.SessionFile = prompt, before.Talk.SessionID, before.Talk.SessionFile
	l.Agent, l.RootID, l.Predecessor, l.Context = &a, old.RootID, before.ID, journal.ContextResume
	if old.Predecessor == "" || old.Index > 0 {
		l.Index = old.Index + attempt
	}
	l.Limits, l.Stdin = old.Limits, journal.Stdin{Mode: "open"}
	call, err := runtime.Command(conversation.TaskOf(l))
	if err != nil {
		return l, err
	}
	l.Program = journal.Program{Runtime: old.Program.Runtime, Argv: append([]string{old.Program.Argv[0]}, call.Args...), EnvNames: old.Program.EnvNames}
	s := c.r.s
	if last, err := journal.ReadLaunch(s.home, before.ID); err == nil {
		l.Index = last.NextIndex()
	}
	claim := journal.Successor{Version: journal.Version, ID: id}
	s.insist(before.ID, func() error { return journal.WriteOnce(s.home.File(before.ID, journal.SuccessorFile), claim) })
	if next, err := ipc.Successor(s.home, before.ID); err != nil || next != id {
		return l, errors.Join(err, fmt.Errorf("its session goes on in run %s", next))
	}
	return l, nil
}
