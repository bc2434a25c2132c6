package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/fsnotify/fsnotify"
)

// followThese goes on telling until all the runs are over.
func (l *lives) followThese(ctx context.Context) error {
	ids := slices.Sorted(maps.Keys(l.live))
	return cli.AwaitRuns(ctx, cli.ReaderAwait(l.home), l.home, func() (bool, error) {
		for _, id := range ids {
			over, err := runIsOver(l.home, id) // before the telling: what comes after it was there before
			if err == nil {
				err = l.tellOf(id)
			}
			if err != nil {
				return false, err
			}
			if over {
				delete(l.live, id)
			}
		}
		return len(l.live) == 0, nil
	}, ids...)
}

// followAll tells what there is, goes on for ever and takes in every new run.
func (l *lives) followAll(ctx context.Context) error {
	w, err := ipc.NewWatch(l.home.Runs(), l.home.Admissions(), l.home.Dir)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := l.begin(nil); err != nil {
		return err
	}
	keeper := cli.NewKeeper(ctx, l.home)
	err = l.lookAll(w)
	for err == nil {
		keeper.Watch(len(l.live) > 0)
		select {
		case e := <-w.Events:
			err = l.noticed(w, e)
		case <-w.Lost:
			err = l.lookAll(w)
		case <-w.Ticks:
			err = l.lookAll(w)
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return err
}

// noticed looks at what a change may be about.
func (l *lives) noticed(w *ipc.Watch, e fsnotify.Event) error {
	name, ok := ipc.Named(e)
	if !ok {
		return nil
	}
	switch dir := filepath.Dir(e.Name); dir {
	case l.home.Dir:
		if name == journal.EventsFile {
			return l.lookAtSettings()
		}
	case l.home.Runs():
		if journal.ValidID(name) && l.add(name) {
			return l.watch(w, name)
		}
	case l.home.Admissions():
		if id, ok := ipc.CommandID(name); ok {
			return l.admitted(w, id)
		}
	default:
		switch name {
		case journal.LaunchFile, journal.ProcessFile, journal.ExitFile, journal.ResultFile, journal.EventsFile:
			return l.look(w, filepath.Base(dir))
		}
	}
	return nil
}

// admitted looks at a run whose command was answered, and at the tasks that it
// commands if it is a plan.
func (l *lives) admitted(w *ipc.Watch, id string) error {
	err := l.look(w, id)
	for task, state := range l.live {
		if state.plan == id {
			err = errors.Join(err, l.look(w, task))
		}
	}
	return err
}

// watch looks at a run now and from now on.
func (l *lives) watch(w *ipc.Watch, id string) error {
	if err := w.Add(l.home.Run(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return l.look(w, id)
}

// look tells what is new of a run and lets go of one that is over or gone.
func (l *lives) look(w *ipc.Watch, id string) error {
	if l.live[id] == nil {
		return nil
	}
	if err := l.tellOf(id); err != nil {
		return err
	}
	if _, err := os.Lstat(l.home.Run(id)); errors.Is(err, fs.ErrNotExist) {
		delete(l.live, id)
	}
	if l.live[id] == nil {
		w.Drop(l.home.Run(id))
	}
	return nil
}

// lookAll looks at everything: at the beginning, and when events were lost.
func (l *lives) lookAll(w *ipc.Watch) error {
	ids, err := journal.RunIDs(l.home)
	if err != nil {
		return err
	}
	slices.Sort(ids)
	for _, id := range ids {
		l.add(id)
		if l.live[id] == nil {
			continue
		}
		if err := l.watch(w, id); err != nil {
			return err
		}
	}
	return l.lookAtSettings()
}

func (l *lives) lookAtSettings() error {
	fresh, err := l.changes()
	return errors.Join(l.tell(fresh), err)
}
