package supervisor

import (
	"errors"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// youth is how long what was left behind may still belong to somebody at work.
const youth = time.Minute

// sweep removes what a kill left lying about: unpublished records, and the
// environment for runs that were never asked for.
func (s *Supervisor) sweep() {
	now := time.Now()
	for _, d := range []string{s.home.Dir, s.home.Commands(), s.home.Admissions()} {
		journal.SweepTemporaries(d, youth, now)
	}
	launch.SweepEnv(youth, now, s.needsEnv)
}

// needsEnv says whether the environment file of run id must stay.
func (s *Supervisor) needsEnv(id string) bool {
	if _, err := os.Lstat(s.home.Run(id)); err != nil {
		return true // a run of another home
	}
	if _, err := os.Lstat(s.home.Command(id)); !errors.Is(err, os.ErrNotExist) {
		return true // asked for and not over
	}
	var l journal.Launch
	if err := journal.Read(s.home.File(id, journal.LaunchFile), &l); err != nil {
		return false
	}
	if l.PlanID != "" {
		if _, err := os.Lstat(s.home.Command(l.PlanID)); !errors.Is(err, os.ErrNotExist) {
			return true // its plan was asked for and is not over
		}
	}
	alive, err := launch.Alive(l.Asker)
	return alive || err != nil
}
