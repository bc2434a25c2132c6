package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/settings"
	urfave "github.com/urfave/cli/v3"
)

const settingsWords = `Settings are in three files, each over the one before: the global one
($XDG_CONFIG_HOME/agent-runs/settings.json), the personal one
(~/.agents/agent-runs.json) and the project's (.agents/agent-runs.json, here or
above, no farther than its .git). A project's file is not trusted: it can only
tighten, and never names a program. "limits" are the defaults of agent runs,
"ceilings" what no call may exceed. Prints what is in force here.`

func settingsCommand() *urfave.Command {
	return &urfave.Command{
		Name:        "settings",
		Usage:       "show or change what holds for every run: limits, ceilings, concurrency",
		Description: settingsWords,
		Flags:       []urfave.Flag{explainFlag(), jsonFlag()},
		Action: func(_ context.Context, c *urfave.Command) error {
			if c.Args().Present() {
				return noCommand(context.Background(), c)
			}
			return showSettings(c, "")
		},
		Commands: []*urfave.Command{
			{Name: "get", Usage: "print one setting, a section, or all", ArgsUsage: "[KEY]", Flags: []urfave.Flag{explainFlag(), jsonFlag()}, ShellComplete: completeSettings, Action: getSetting},
			{Name: "set", Usage: "change one setting, in the global file unless told otherwise", ArgsUsage: "KEY VALUE", Flags: append(layerFlags(), jsonFlag()), ShellComplete: completeSettings, Action: setSetting},
			{Name: "unset", Usage: "take one setting out of a file", ArgsUsage: "KEY", Flags: append(layerFlags(), jsonFlag()), ShellComplete: completeSettings, Action: unsetSetting},
			{Name: "edit", Usage: "change a file with $VISUAL or $EDITOR; what makes no sense is not taken over", Flags: layerFlags(), Action: editSettings},
			{Name: "path", Usage: "list the files, in the order in which they are read", Flags: []urfave.Flag{jsonFlag()}, Action: settingsPath},
			{Name: "schema", Usage: "print the JSON schema of the files, for editors", Action: settingsSchema},
		},
	}
}

func explainFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "explain", Usage: "show where each value comes from"}
}

// loadSettings reads what is in force here and says what of it is left out.
func loadSettings() (*settings.Settings, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, cli.Fail(cli.Usage, "the current directory cannot be told: %v", err)
	}
	s := settings.Load(os.Getenv, cwd)
	for _, w := range s.Warnings {
		fmt.Fprintln(os.Stderr, "warning: "+w)
	}
	return s, nil
}

func getSetting(_ context.Context, c *urfave.Command) error {
	if n := c.Args().Len(); n > 1 {
		return cli.Fail(cli.Usage, "%s takes one setting, but got %d", c.FullName(), n).WithTry("%s --help", c.FullName())
	}
	return showSettings(c, c.Args().First())
}

// showSettings prints one setting, a section, or all where name is "".
func showSettings(c *urfave.Command, name string) error {
	one, isKey := settings.Find(name)
	if name != "" && !isKey && !settings.IsSection(name) {
		return noSetting(name)
	}
	s, err := loadSettings()
	if err != nil {
		return err
	}
	x := s.Get(one.Name)
	switch {
	case c.Bool("explain"):
		return explain(c, s, name)
	case !isKey && name == "":
		return cli.PrintJSON(s.Versioned(cli.ViewVersion))
	case !isKey:
		return cli.PrintJSON(s.Tree(name))
	case c.Bool("json"):
		return cli.PrintJSON(struct {
			Version int `json:"version"`
			settingView
		}{cli.ViewVersion, viewOf(x)})
	case x.None():
		return cli.Fail(cli.NotFound, "%s is not set, and has no default", name)
	}
	_, err = fmt.Println(x.Text)
	return err
}

func noSetting(name string) error {
	return cli.Fail(cli.Usage, "%s", settings.Unknown(name)).WithTry("agent-runs settings --explain")
}

// settingView is the JSON shape of a setting and where it comes from.
type settingView struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"` // null: none
	settings.Origin
}

func viewOf(x settings.Setting) settingView {
	return settingView{x.Name, x.JSON(x.Value), x.Origin}
}

// explain shows where the values come from: of one setting, of a section, or
// of all.
func explain(c *urfave.Command, s *settings.Settings, name string) error {
	asked := s.Below(name)
	if c.Bool("json") {
		views := make([]settingView, len(asked))
		for i, x := range asked {
			views[i] = viewOf(x)
		}
		return cli.PrintJSON(map[string]any{"version": cli.ViewVersion, "settings": views, "warnings": append([]string{}, s.Warnings...)})
	}
	t, flush := table()
	fmt.Fprintln(t, "SETTING\tVALUE\tFROM\tFILE")
	for _, x := range asked {
		from := x.Origin.Layer
		if x.None() {
			from = "" // there is nothing to come from anywhere
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", x.Name, orDash(x.Text), orDash(from), orDash(x.Origin.Path))
	}
	return flush()
}

func settingsPath(_ context.Context, c *urfave.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	type fileView struct {
		settings.File
		Exists bool `json:"exists"`
	}
	var views []fileView
	for _, layer := range layers() {
		f, err := fileOf(layer)
		if err != nil {
			continue // it has no place here
		}
		_, err = os.Stat(f.Path)
		views = append(views, fileView{f, err == nil})
	}
	if c.Bool("json") {
		return cli.PrintJSON(map[string]any{"version": cli.ViewVersion, "files": views})
	}
	t, flush := table()
	for _, v := range views {
		state := "exists"
		if !v.Exists {
			state = "not there"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", v.Layer, state, v.Path)
	}
	return flush()
}

func settingsSchema(_ context.Context, c *urfave.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	_, err := os.Stdout.Write(settings.Schema())
	return err
}

// completeSettings offers the names of settings, and the runtimes where one
// is to be set.
func completeSettings(ctx context.Context, c *urfave.Command) {
	urfave.DefaultCompleteWithFlags(ctx, c)
	words := c.Args().Slice()
	if n := len(words); n > 0 && words[n-1] != "" && words[n-1][0] == '-' {
		return
	}
	if len(words) == 0 {
		for _, k := range settings.Keys() {
			fmt.Fprintf(c.Root().Writer, "%s:%s\n", k.Name, k.Doc)
		}
	} else if words[0] == settings.KeyRuntime && c.Name == "set" && len(words) == 1 {
		for _, name := range settings.RuntimeNames() {
			fmt.Fprintln(c.Root().Writer, name)
		}
	}
}
