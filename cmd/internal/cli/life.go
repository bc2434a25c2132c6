package cli

import (
	"errors"
	"io/fs"

	"github.com/agent-runs/agent-runs/internal/rawfile"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/journal/lifecycle"
)

// Life returns the lifecycle events of a run so far. Nil: it was removed, or
// nobody asked for it yet. What is returned later begins with them.
func Life(h journal.Home, id string) ([]lifecycle.Event, error) {
	r, err := journal.LoadRun(h, id)
	var damage *journal.DamagedError
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.As(err, &damage) || err == nil && nothing(r):
		return nil, nil
	case err != nil:
		return nil, err
	}
	k := lifecycle.Known{Status: statusOf(h, r)}
	// In this order, see lifecycle.Known.
	if k.Story, _, err = journal.ReadEvents(h.File(id, journal.EventsFile), 0); err != nil {
		return nil, err
	}
	r.Admission = admissionOf(h, r)
	k.Records, k.Before = r, before(h, r.Launch)
	if r.Result != nil {
		if k.Result, err = rawfile.Read(h.File(id, journal.ResultFile)); err != nil {
			return nil, unlessMissing(err)
		}
	}
	return lifecycle.Of(k), nil
}

// admissionOf reads the answer to the run's command, or to its plan's.
func admissionOf(h journal.Home, r journal.Records) *journal.Admission {
	id := r.ID
	if r.Launch != nil && r.Launch.PlanID != "" {
		id = r.Launch.PlanID
	}
	var a journal.Admission
	if journal.Read(h.Admission(id), &a) != nil {
		return nil
	}
	return &a
}

// before is what the life of a run had used before it.
func before(h journal.Home, l *journal.Launch) *journal.Usage {
	if l == nil || l.Predecessor == "" {
		return nil
	}
	r, err := journal.ReadResult(h, l.Predecessor)
	if err != nil {
		return nil
	}
	return r.LifeUsage
}

func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
