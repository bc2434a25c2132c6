package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/agents"
	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/runtimes"
	urfave "github.com/urfave/cli/v3"
)

func runtimesCommand() *urfave.Command {
	return &urfave.Command{
		Name:  "runtimes",
		Usage: "list the agents that can be run, and which are installed",
		Description: `Looks in PATH and asks each program that is there for its version. Any agent that
speaks the Agent Client Protocol can be run as --runtime acp:CMD.`,
		Flags: []urfave.Flag{jsonFlag(), &urfave.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print the names of those that are installed only"}},
		Action: func(ctx context.Context, c *urfave.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return printRuntimes(c, allRuntimes(ctx, os.Getenv("PATH")))
		},
	}
}

// runtimeView is what is known of one kind of agent. Of Works, what is absent
// or empty works, and the rest says why it does not.
type runtimeView struct {
	Name      string            `json:"name"`
	Installed bool              `json:"installed"`
	Version   string            `json:"version,omitempty"`
	Path      string            `json:"path,omitempty"`
	Programs  []string          `json:"programs"`
	Protocol  string            `json:"protocol"`
	Works     map[string]bool   `json:"works"`
	WhyNot    map[string]string `json:"whyNot,omitempty"`
}

func allRuntimes(ctx context.Context, path string) []runtimeView {
	all := runtimes.All()
	views := make([]runtimeView, len(all))
	var wg sync.WaitGroup
	for i, r := range all {
		wg.Go(func() { views[i] = lookAt(ctx, r, path) })
	}
	wg.Wait()
	return views
}

func lookAt(ctx context.Context, r agent.Runtime, path string) runtimeView {
	v := runtimeView{Name: r.Name(), Programs: r.Programs(), Protocol: agents.Protocol(r.Name()), Works: map[string]bool{}, WhyNot: map[string]string{}}
	for _, a := range abilities(r.Abilities()) {
		v.Works[a.name] = a.whyNot == ""
		if a.whyNot != "" {
			v.WhyNot[a.name] = a.whyNot
		}
	}
	if p, err := agents.Find(r, path); err == nil {
		v.Installed, v.Path = true, p.Path
		if v.Version = askVersion(ctx, p.Path); v.Version == "" {
			v.Version = p.Version
		}
	}
	return v
}

// ability is one thing that can be had from an agent, or why not.
type ability struct{ name, whyNot string }

func abilities(a agent.Abilities) []ability {
	return []ability{{"steer", a.Steer}, {"interrupt", a.Interrupt}, {"continue", a.Continue}, {"fork", a.Fork}, {"questions", a.Questions}, {"usage", a.Usage}, {"cost", a.Cost}}
}

// versionPatience is how long a program may take to tell its version.
const versionPatience = 15 * time.Second

var versionNumber = regexp.MustCompile(`\d+\.\d+(\.\d+)?\S*`)

// askVersion returns what the program says, or "".
func askVersion(ctx context.Context, path string) string {
	ctx, cancel := context.WithTimeout(ctx, versionPatience)
	defer cancel()
	c := exec.CommandContext(ctx, path, "--version")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	out, err := c.Output()
	if err != nil {
		return ""
	}
	return versionNumber.FindString(string(out))
}

func printRuntimes(c *urfave.Command, all []runtimeView) error {
	switch {
	case c.Bool("json"):
		return cli.PrintJSON(map[string]any{"version": cli.ViewVersion, "runtimes": all})
	case c.Bool("quiet"):
		for _, v := range all {
			if v.Installed {
				fmt.Println(v.Name)
			}
		}
		return nil
	}
	t, flush := table()
	fmt.Fprintln(t, "NAME\tINSTALLED\tVERSION\tPROTOCOL\tWORKS\tPATH")
	for _, v := range all {
		installed := "no"
		if v.Installed {
			installed = "yes"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", v.Name, installed, orDash(v.Version), v.Protocol, worksWords(v), orDash(v.Path))
	}
	if err := flush(); err != nil {
		return err
	}
	for _, v := range all {
		for _, a := range abilityNames() {
			if why := v.WhyNot[a]; why != "" {
				if _, err := fmt.Printf("%s has no %s: %s\n", v.Name, a, why); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func abilityNames() []string {
	var names []string
	for _, a := range abilities(agent.Abilities{}) {
		names = append(names, a.name)
	}
	return names
}

func worksWords(v runtimeView) string {
	var missing []string
	for _, name := range abilityNames() {
		if !v.Works[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return "all"
	}
	return "all but " + strings.Join(missing, ", ")
}
