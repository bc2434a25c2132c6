package supervisor

import (
	"os"
	"time"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// introduce makes our own record and counts predecessors that died young.
// rebooted says that the predecessor lived before the machine was restarted,
// or that there is no telling.
func (s *Supervisor) introduce(watchNote string) (rebooted bool, err error) {
	id, err := launch.IdentityOf(os.Getpid())
	if err != nil {
		return false, err
	}
	now := time.Now().UTC()
	program, _ := os.Executable()
	s.self = journal.Supervisor{Version: journal.Version, PID: id.PID, Identity: id, Incarnation: journal.NewID(now),
		State: journal.SupervisorRunning, Program: program, Build: Build(), Watch: ipc.Mechanism, WatchNote: watchNote, StartedAt: now}
	if watchNote != "" {
		s.self.Watch = "polling"
	}
	var last journal.Supervisor
	known := journal.Read(s.home.Supervisor(), &last) == nil
	if known && last.State == journal.SupervisorRunning && now.Sub(last.StartedAt) < 2*time.Second {
		s.self.QuickDeaths = last.QuickDeaths + 1
	}
	return !known || last.Identity.BootID != id.BootID, nil
}

// announce replaces supervisor.json. Without room for it we work all the same:
// what is alive has to be watched, and the lock says that somebody does.
func (s *Supervisor) announce() {
	err := journal.Replace(s.home.Supervisor(), s.self)
	if s.announced = err == nil; !s.announced {
		s.log.Print(err)
		s.later()
	}
}

// leave says so first: from then on no shim restarts us.
func (s *Supervisor) leave(state string) error {
	s.self.State = state
	if err := journal.Replace(s.home.Supervisor(), s.self); err != nil {
		return err
	}
	s.shims.dismiss()
	return nil
}
