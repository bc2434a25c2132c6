//go:build linux

package crash

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// flood is how many commands wait for a supervisor that was stopped. It is
// more than the kernel remembers of a directory (max_queued_events).
const flood = 20_000

// dry bounds how long the answers may take.
const dry = 60 * time.Second

// TestTwentyThousandCommands drops them while the supervisor is stopped by a
// signal, a few valid ones among them: each is answered once, and what is
// valid has its effect once.
func TestTwentyThousandCommands(t *testing.T) {
	p := newPlace(t)
	talker, loser := p.reader(), p.reader()
	for _, s := range p.withRole("supervisor") {
		syscall.Kill(s.pid, syscall.SIGSTOP)
	}
	now := time.Now().UTC()
	for i := range flood {
		c := journal.Command{Version: journal.Version, ID: journal.NewID(now), RunID: journal.NewID(now), Action: journal.ActionStop, Actor: "user", CreatedAt: now}
		switch {
		case i%5000 == 0:
			c.RunID, c.Action, c.Text = talker, journal.ActionSteer, "word "+strconv.Itoa(i)+"\n"
			p.truth.Steers = append(p.truth.Steers, "word "+strconv.Itoa(i))
		case i == 10_001:
			c.RunID = loser
			p.truth.Stopped[loser] = true
		case i%2 == 0:
			c.Action, c.Text = journal.ActionSteer, "to nobody\n"
		}
		p.drop(c)
	}
	p.note()
	began := time.Now()
	for _, s := range p.withRole("supervisor") {
		syscall.Kill(s.pid, syscall.SIGCONT)
	}
	if err := within(dry, "only the talking run's command is open", func() bool { return p.open() == 1 }); err != nil {
		t.Fatalf("%v; %d are open", err, p.open())
	}
	t.Logf("%d commands answered in %v", flood, time.Since(began).Round(time.Millisecond))
	for _, text := range p.truth.Steers {
		until(t, "the child has read "+text, func() bool { return p.printed(talker, "got "+text+"\n") })
	}
	if !p.done(loser) {
		t.Error("the run that was stopped has no result")
	}
	p.stop(talker).wait()
	p.ordinary()
	p.judge()
}

// drop puts a command into the directory as Post does, but without waiting
// for the disk twenty thousand times.
func (p *place) drop(c journal.Command) {
	body, err := json.Marshal(c)
	if err != nil {
		p.t.Fatal(err)
	}
	tmp := filepath.Join(p.dir, "drop")
	if err := os.WriteFile(tmp, append(body, '\n'), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(tmp, p.home.Command(c.ID)); err != nil {
		p.t.Fatal(err)
	}
}
