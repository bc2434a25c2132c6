package main

import (
	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	urfave "github.com/urfave/cli/v3"
)

// actor is on whose behalf a command acts.
type actor struct {
	owner string
	force bool
}

func actorOf(c *urfave.Command) (actor, error) {
	if c.IsSet("owner") {
		if err := cli.CheckLabel("--owner", c.String("owner")); err != nil {
			return actor{}, err
		}
	}
	owner, err := cli.Owner(c.String("owner"))
	return actor{owner, c.Bool("force")}, err
}

// may refuses acts on runs of others that were not asked for out loud. The
// supervisor decides again; here it is told before anything is written.
func (a actor) may(v cli.View) error {
	switch {
	case a.force || v.Owner == a.owner:
		return nil
	case v.Owner == "":
		return cli.Fail(cli.NotFound, "run %s cannot say whose it is: its launch record is damaged", v.ID).WithTry("--force")
	default:
		return cli.Fail(cli.NotFound, "run %s is not yours (%s) but belongs to %q", v.ID, a.owner, v.Owner).WithTry("--owner %s, or --force", cli.CommandLine([]string{v.Owner}, 200))
	}
}
