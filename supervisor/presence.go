package supervisor

import (
	"errors"
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
	if known && last.State != journal.SupervisorRunning {
		s.rally()
	}
	return !known || last.Identity.BootID != id.BootID, nil
}

// rally has the shims of live runs watch again, before our record says that a
// supervisor is to be missed: the other way round our death in between would
// be noticed by nobody.
func (s *Supervisor) rally() {
	ids, _, err := ipc.Pending(s.home)
	if err != nil {
		s.log.Printf("commands: %v", err)
	}
	for _, id := range ids {
		var p journal.Process
		if journal.Read(s.home.File(id, journal.ProcessFile), &p) != nil {
			continue // no run, or none that started
		}
		if err := launch.Signal(p.Shim.Identity, launch.SignalBack); err != nil && !errors.Is(err, launch.ErrGone) {
			s.log.Printf("run %s: %v", id, err)
		}
	}
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
