package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/settings"
	urfave "github.com/urfave/cli/v3"
)

// blank is what is edited where there is no file yet.
const blank = "{\n  \"$schema\": \"" + settings.SchemaURL + "\"\n}\n"

func editSettings(ctx context.Context, c *urfave.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	f, err := layerOf(c)
	if err != nil {
		return err
	}
	before, err := settings.Read(f)
	if err != nil {
		return cli.Fail(cli.RunFailed, "%v", err)
	}
	shown := before
	if before == nil {
		shown = []byte(blank)
	}
	copied, err := copyForEditor(shown)
	if err != nil {
		return cli.Fail(cli.RunFailed, "%v", err)
	}
	after, err := edited(ctx, copied)
	switch {
	case err == nil && bytes.Equal(after, shown):
		fmt.Fprintln(os.Stderr, "nothing has changed")
		return os.RemoveAll(filepath.Dir(copied))
	case err == nil:
		err = takeOver(f, before, after)
	}
	if err != nil {
		return cli.Fail(cli.RunFailed, "%v; %s is as it was", err, f.Path).WithTry("your copy, %s", copied)
	}
	return os.RemoveAll(filepath.Dir(copied))
}

// copyForEditor is a file in a directory of its own, since editors put things
// beside what they edit.
func copyForEditor(body []byte) (string, error) {
	dir, err := os.MkdirTemp("", "agent-runs-settings-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "settings.json")
	return path, os.WriteFile(path, body, 0o600)
}

// edited lets a person edit path and returns what is in it then. Ctrl-C is
// the editor's.
func edited(ctx context.Context, path string) ([]byte, error) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	editor := "vi"
	for _, name := range []string{"EDITOR", "VISUAL"} {
		if v := os.Getenv(name); v != "" {
			editor = v
		}
	}
	// As everywhere, the variable may hold arguments.
	c := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", path)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("the editor %q failed: %w", editor, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, settings.MaxFileBytes+1))
}

// takeOver puts after in place of before, if it makes sense and nobody has
// changed the file meanwhile.
func takeOver(f settings.File, before, after []byte) error {
	if len(after) > settings.MaxFileBytes {
		return fmt.Errorf("at most %d bytes are accepted", settings.MaxFileBytes)
	}
	problems, err := settings.Check(f.Layer, after)
	if err != nil {
		return err
	}
	wrong := 0
	for _, p := range problems {
		if p.Unknown { // a newer version may know it
			fmt.Fprintln(os.Stderr, "warning: "+p.Words)
			continue
		}
		wrong++
		fmt.Fprintln(os.Stderr, "Error: "+p.Words)
	}
	if wrong > 0 {
		return errors.New("what was edited is not taken over")
	}
	return changeSettings(f, func(now []byte) ([]byte, error) {
		if !bytes.Equal(now, before) {
			return nil, cli.Fail(cli.RunFailed, "somebody else has changed the file meanwhile")
		}
		return after, nil
	})
}
