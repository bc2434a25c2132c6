package supervisor

import (
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
	for {
		if r.outputBytes() > limit {
			r.post(note{event: EvStop, stop: r.order(journal.CauseOutputLimit)})
			return
		}
		select {
		case <-w.Names:
			time.Sleep(outputPause)
			w.Drain()
		case <-r.done:
			return
		}
	}
}

func (r *run) outputBytes() (n int64) {
	for _, name := range []string{journal.StdoutFile, journal.StderrFile} {
		if info, err := os.Stat(r.s.home.File(r.id, name)); err == nil {
			n += info.Size()
		}
	}
	return n
}
