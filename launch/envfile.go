package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/journal"
)

// The values of the caller's environment have to reach a shim that the caller
// did not start. They travel in one file, 0600, on a memory file system where
// there is one, and are gone once the child has them.

// envFileName is the base name of a run's environment file outside its directory.
func envFileName(id string) string { return "agent-runs-" + id + ".env" }

// WriteEnv stores env for run id and returns the file's path. fallback is the
// directory used where no memory file system can be had.
func WriteEnv(id, fallback string, env []string) (string, error) {
	body := []byte(strings.Join(env, "\x00"))
	var first error
	for _, dir := range append(memoryDirs(), fallback) {
		path := filepath.Join(dir, envFileName(id))
		err := writeExclusive(path, body)
		if err == nil {
			failpoint.Hit("env/written")
			return path, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", fmt.Errorf("pass the environment on: %w", first)
}

// LinkEnv makes the environment at path that of run id too, and returns where.
// It may have done so before.
func LinkEnv(path, id string) (string, error) {
	own := filepath.Join(filepath.Dir(path), envFileName(id))
	if err := os.Link(path, own); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("pass the environment on: %w", err)
	}
	return own, nil
}

// KeepEnv makes a second name for the environment of a run, for those who come
// after its child, and returns it.
func KeepEnv(path string) (string, error) {
	kept := strings.TrimSuffix(path, ".env") + keptSuffix
	if err := os.Link(path, kept); err != nil {
		return "", fmt.Errorf("keep the environment: %w", err)
	}
	return kept, nil
}

const keptSuffix = ".kept.env"

func writeExclusive(path string, body []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// ReadEnv returns what WriteEnv stored. It refuses a file that is not a
// regular one of ours: the directory may be writable by others.
func ReadEnv(path string) ([]string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.Mode().IsRegular() || !ok || int(st.Uid) != os.Geteuid() || info.Mode().Perm() != 0o600 {
		return nil, fmt.Errorf("%s is not a private file of ours", path)
	}
	body, err := io.ReadAll(f)
	if err != nil || len(body) == 0 {
		return nil, err
	}
	var env []string
	for v := range bytes.SplitSeq(body, []byte{0}) {
		env = append(env, string(v))
	}
	return env, nil
}

// SweepEnv removes environment files that nobody will fetch any more: their
// asker died before it gave its command. Those younger than age may belong to
// an asker at work; needed says which others are still to be fetched.
func SweepEnv(age time.Duration, now time.Time, needed func(id string) bool) {
	for _, dir := range memoryDirs() {
		names, _ := filepath.Glob(filepath.Join(dir, envFileName("*")))
		for _, path := range names {
			id := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "agent-runs-"), ".env"), ".kept")
			info, err := os.Lstat(path)
			if err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > age && journal.ValidID(id) && !needed(id) {
				os.Remove(path)
			}
		}
	}
}

// EnvNames returns the names of env, without values, in order.
func EnvNames(env []string) []string {
	names := make([]string, 0, len(env))
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	return names
}
