package supervisor

import (
	"context"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
)

// outputPause spaces the looks at output that grows all the time.
const outputPause = 20 * time.Millisecond

// watchOutput orders the end of a run whose output outgrows its limit. It is
// woken by the growth, so a silent run costs nothing. What was written before
// the end is kept: the limit is passed by as much as a child writes in one pause.
func (r *run) watchOutput(limit int64) {
	w, err := ipc.NewWatch(r.s.home.Run(r.id))
	if err != nil {
		r.s.log.Printf("run %s: its output cannot be watched: %v", r.id, err)
		return
	}
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-r.done
		cancel()
	}()
	for r.outputBytes() <= limit {
		if w.Wait(ctx) != nil {
			return
		}
		time.Sleep(outputPause)
	}
	r.post(note{event: EvStop, stop: r.order(journal.CauseOutputLimit)})
}

func (r *run) outputBytes() (n int64) {
	for _, name := range []string{journal.StdoutFile, journal.StderrFile} {
		if info, err := os.Stat(r.s.home.File(r.id, name)); err == nil {
			n += info.Size()
		}
	}
	return n
}
