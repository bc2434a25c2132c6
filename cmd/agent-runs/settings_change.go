package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/settings"
	urfave "github.com/urfave/cli/v3"
)

// layers are the files of settings, in the order in which they are read.
func layers() []string {
	return []string{settings.LayerGlobal, settings.LayerPersonal, settings.LayerProject}
}

func layerFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.BoolFlag{Name: settings.LayerGlobal, Usage: "in the global file (default)"},
		&urfave.BoolFlag{Name: settings.LayerPersonal, Usage: "in the personal file"},
		&urfave.BoolFlag{Name: settings.LayerProject, Usage: "in the project's file"},
	}
}

// layerOf is the file that the flags name.
func layerOf(c *urfave.Command) (settings.File, error) {
	chosen := ""
	for _, layer := range layers() {
		if !c.Bool(layer) {
			continue
		}
		if chosen != "" {
			return settings.File{}, cli.Fail(cli.Usage, "--%s and --%s are two files; one is accepted", chosen, layer)
		}
		chosen = layer
	}
	if chosen == "" {
		chosen = settings.LayerGlobal
	}
	return fileOf(chosen)
}

// fileOf is where a layer is or would be written down.
func fileOf(layer string) (settings.File, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return settings.File{}, cli.Fail(cli.Usage, "the current directory cannot be told: %v", err)
	}
	for _, f := range settings.Files(os.Getenv, cwd) {
		if f.Layer == settings.LayerProject {
			f.Path = settings.ProjectFile(os.Getenv, cwd)
		}
		if f.Layer != layer {
			continue
		}
		if f.Path == "" && layer == settings.LayerProject {
			return f, cli.Fail(cli.Usage, "there is no project here: this is the home directory").WithTry("--personal")
		}
		if f.Path == "" {
			return f, cli.Fail(cli.Usage, "there is no place for the %s settings: HOME is not set", layer)
		}
		return f, nil
	}
	return settings.File{}, cli.Fail(cli.Usage, "there are no %s settings", layer)
}

func setSetting(_ context.Context, c *urfave.Command) error {
	if n := c.Args().Len(); n != 2 {
		return cli.Fail(cli.Usage, "%s takes a setting and one value, but got %d arguments", c.FullName(), n).WithTry("%s --help", c.FullName())
	}
	name, text := c.Args().Get(0), c.Args().Get(1)
	k, ok := settings.Find(name)
	if !ok {
		return noSetting(name)
	}
	v, err := k.Parse(text)
	if err != nil {
		return cli.Fail(cli.Usage, "%s %q is none: %v", name, text, err)
	}
	f, err := layerOf(c)
	if err != nil {
		return err
	}
	if why := k.Personal(); f.Layer == settings.LayerProject && why != "" {
		return cli.Fail(cli.Usage, "%s cannot be set for a project: %s", name, why).WithTry("--personal or --global")
	}
	var old settings.Value
	err = changeSettings(f, func(body []byte) ([]byte, error) {
		old, _ = settings.In(body, k)
		return settings.Set(body, k, v)
	})
	if err != nil {
		return err
	}
	if err := changed(c, f, k.Name, k.JSON(old), k.JSON(v)); err != nil {
		return err
	}
	return overruled(f, k.Name, v)
}

// overruled says where what was set is not what is in force.
func overruled(f settings.File, name string, v settings.Value) error {
	s, err := loadSettings()
	if err != nil {
		return err
	}
	if x := s.Get(name); x.Number != v.Number || x.Text != v.Text {
		fmt.Fprintf(os.Stderr, "note: here %s is %s, as the %s settings say\n", name, orDash(x.Text), x.Origin.Layer)
	}
	return nil
}

func unsetSetting(_ context.Context, c *urfave.Command) error {
	if n := c.Args().Len(); n != 1 {
		return cli.Fail(cli.Usage, "%s takes one setting, but got %d", c.FullName(), n).WithTry("%s --help", c.FullName())
	}
	name := c.Args().First()
	k, known := settings.Find(name)
	f, err := layerOf(c)
	if err != nil {
		return err
	}
	var old settings.Value
	found := false
	err = changeSettings(f, func(body []byte) (after []byte, err error) {
		old, _ = settings.In(body, k)
		after, found, err = settings.Unset(body, name)
		return after, err
	})
	switch {
	case err != nil:
		return err
	case !found && !known:
		return noSetting(name)
	case !found:
		fmt.Fprintf(os.Stderr, "note: %s was not set in %s\n", name, f.Path)
	}
	return changed(c, f, name, k.JSON(old), json.RawMessage("null"))
}

// changed prints what was done, for programs to stdout and for people to
// stderr.
func changed(c *urfave.Command, f settings.File, name string, old, now json.RawMessage) error {
	if c.Bool("json") {
		return cli.PrintJSON(map[string]any{"version": cli.ViewVersion, "key": name, "old": old, "value": now, "layer": f.Layer, "path": f.Path})
	}
	if string(now) == "null" {
		return nil
	}
	_, err := fmt.Fprintf(os.Stderr, "%s is %s in %s\n", name, now, f.Path)
	return err
}

// record appends to the home's events that settings have changed. The change
// stands, whether or not it can be told.
func record(f settings.File, names []string) {
	if len(names) == 0 {
		return
	}
	if err := appendChange(f, names); err != nil {
		fmt.Fprintf(os.Stderr, "note: the change is in no events: %v\n", err)
	}
}

func appendChange(f settings.File, names []string) error {
	owner, err := cli.Owner("")
	if err != nil {
		return err
	}
	dir, err := journal.HomeDir(os.Getenv)
	if err != nil {
		return err
	}
	h, err := journal.OpenHome(dir)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	told := journal.AppendEvent(h.Events(), journal.Event{At: now, Owner: owner, Type: journal.EventSettingsChanged, File: f.Path, Settings: names})
	return errors.Join(told, reload(h, owner, now))
}

// reload has the supervisor look at its settings again, if there is one: runs
// may wait for a place that there is now.
func reload(h journal.Home, owner string, now time.Time) error {
	if free, err := cli.Unsupervised(h); err != nil || free {
		return err
	}
	return ipc.Post(h, journal.Command{Version: journal.Version, ID: journal.NewID(now), Action: journal.ActionReload, Actor: owner, CreatedAt: now})
}
