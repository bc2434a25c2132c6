package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/settings"
	"golang.org/x/sys/unix"
)

// changeSettings puts in place of a file what change makes of it, in one step,
// and records the settings that differ. Two that change it at the same time do
// so one after the other. A file that makes no sense is left as it is.
func changeSettings(f settings.File, change func(before []byte) (after []byte, err error)) error {
	dir := filepath.Dir(f.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cli.Fail(cli.RunFailed, "%v", err)
	}
	unlock, err := lockDir(dir)
	if err != nil {
		return cli.Fail(cli.RunFailed, "%s: %v", dir, err)
	}
	defer unlock()
	before, err := settings.Read(f)
	if err != nil {
		return cli.Fail(cli.RunFailed, "%v", err)
	}
	after, err := change(before)
	var e *cli.Error
	if errors.As(err, &e) {
		return e
	}
	if err != nil {
		return cli.Fail(cli.RunFailed, "%s makes no sense: %v", f.Path, err).WithTry("agent-runs settings edit --%s", f.Layer)
	}
	if bytes.Equal(before, after) {
		return nil
	}
	path, err := whereLinksLead(f.Path)
	if err == nil {
		err = journal.ReplaceText(path, after)
	}
	if err != nil {
		return cli.Fail(cli.RunFailed, "%v", err)
	}
	record(f, settings.Changed(before, after))
	return nil
}

// lockDir keeps others from changing the settings in dir. There is no file to
// lock: the one that there is gets replaced.
func lockDir(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(d.Fd()), unix.LOCK_EX); err != unix.EINTR {
			break
		}
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return func() { d.Close() }, nil
}

// whereLinksLead is the file itself where path is a symbolic link to it, as
// those have it who keep their settings elsewhere.
func whereLinksLead(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return real, err
}
