package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
)

// followThese goes on telling until all runs are over.
func (s *story) followThese(ctx context.Context) error {
	ids := slices.Collect(maps.Keys(s.offset))
	return cli.AwaitRuns(ctx, cli.ReaderAwait(s.home), s.home, func() (bool, error) {
		err := s.tellAndForget(nil)
		return len(s.offset) == 0, err
	}, ids...)
}

// followAll goes on telling for ever and takes in every new run.
func (s *story) followAll(ctx context.Context) error {
	if err := s.begin(nil); err != nil {
		return err
	}
	w, err := ipc.NewWatch(s.home.Runs())
	if err != nil {
		return err
	}
	defer w.Close()
	if err := s.watchAll(w); err != nil {
		return err
	}
	for {
		if err := s.tellAndForget(w); err != nil {
			return err
		}
		var err error
		select {
		case e := <-w.Events:
			// What changed in a known run the next telling finds.
			if name, ok := ipc.Named(e); ok && journal.ValidID(name) && s.add(name) {
				err = s.watch(w, name)
			}
		case <-w.Lost:
			err = s.takeIn(w)
		case <-w.Ticks:
			err = s.takeIn(w)
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// watchAll begins with the runs that are not over; those made between the
// first telling and the watch are found here.
func (s *story) watchAll(w *ipc.Watch) error {
	for id := range s.offset {
		if cli.Settled(s.home, id) {
			continue // told once more, and forgotten
		}
		if err := s.watch(w, id); err != nil {
			return err
		}
	}
	return s.takeIn(w)
}

func (s *story) takeIn(w *ipc.Watch) error {
	ids, err := journal.RunIDs(s.home)
	for _, id := range ids {
		if s.add(id) {
			err = errors.Join(err, s.watch(w, id))
		}
	}
	return err
}

// watch looks at a run from now on. One that was removed meanwhile has
// nothing more to tell.
func (s *story) watch(w *ipc.Watch, id string) error {
	if err := w.Add(s.home.Run(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// runIsOver reports whether there is nothing more to come from a run. Where the
// supervisor was sent away nobody says anything after the exit.
func runIsOver(h journal.Home, id string) (bool, error) {
	if cli.Exited(h, id) && supervisor.SentAway(h) {
		return true, nil
	}
	return cli.Over(h, id)
}

// tellAndForget prints what is new and looks no more at runs that are over.
func (s *story) tellAndForget(w *ipc.Watch) error {
	var over []string
	for id := range s.offset {
		end, err := runIsOver(s.home, id) // before the telling: what comes after it was said before
		if err != nil {
			return err
		}
		if end {
			over = append(over, id)
		}
	}
	if err := s.tell(); err != nil {
		return err
	}
	for _, id := range over {
		delete(s.offset, id)
		if w != nil {
			w.Drop(s.home.Run(id))
		}
	}
	return nil
}
