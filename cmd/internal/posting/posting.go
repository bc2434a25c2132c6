// Package posting is what every asker does to make a run: fill its launch
// record with what it takes from its caller, and take back what could not be
// posted.
package posting

import (
	"os"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// Allowed refuses to make runs inside of one.
func Allowed() error {
	if run := os.Getenv("AGENT_RUNS_RUN_ID"); run != "" {
		return cli.Fail(cli.Refused, "a child cannot delegate (this is run %s)", run)
	}
	return nil
}

// Fill adds to a launch record what every run takes from its caller, and
// writes the environment down where the run's shim finds it. umask is the
// caller's.
func Fill(h journal.Home, l *journal.Launch, env []string, umask int) error {
	c, err := CallerOf(umask)
	if err != nil {
		return err
	}
	return c.Fill(h, l, env)
}

// Caller is what runs take from whoever asks for them. Several that are asked
// for at once share their environment's file.
type Caller struct {
	asker    journal.Identity
	umask    int
	rlimits  []journal.Rlimit
	priority *journal.Priority
	envs     map[string]string // files of environments, by what they hold
}

// CallerOf looks at this process. umask is the caller's.
func CallerOf(umask int) (*Caller, error) {
	asker, err := launch.IdentityOf(os.Getpid())
	return &Caller{asker: asker, umask: umask, rlimits: launch.CallersLimits(), priority: launch.CallersPriority(), envs: map[string]string{}}, err
}

// Fill is Fill for one of several runs. The run's directory must be there.
func (c *Caller) Fill(h journal.Home, l *journal.Launch, env []string) (err error) {
	c.Sign(l)
	l.Program.EnvNames = launch.EnvNames(env)
	if err = c.pass(h, l, env); err == nil && l.Verify != nil {
		v := *l.Verify
		v.EnvFile, err = launch.KeepEnv(l.EnvFile)
		l.Verify = &v
	}
	return err
}

// pass writes the environment down, or gives what was written another name.
func (c *Caller) pass(h journal.Home, l *journal.Launch, env []string) (err error) {
	body := strings.Join(env, "\x00")
	if like, ok := c.envs[body]; ok && !strings.HasPrefix(like, h.Dir) { // in the directory of a run it goes with that
		l.EnvFile, err = launch.LinkEnv(like, l.ID)
		return err
	}
	l.EnvFile, err = launch.WriteEnv(l.ID, h.Run(l.ID), env)
	c.envs[body] = l.EnvFile
	return err
}

// Sign fills a launch that executes nothing, and has no environment.
func (c *Caller) Sign(l *journal.Launch) {
	l.Asker, l.Version, l.Tree, l.Umask, l.Rlimits, l.Priority = c.asker, journal.Version, tree(), c.umask, c.rlimits, c.priority
}

// Command is the order to start the run.
func Command(l *journal.Launch) journal.Command {
	return journal.Command{Version: journal.Version, ID: l.ID, RunID: l.ID, Action: journal.ActionRun, Actor: l.Owner, Asker: &l.Asker, CreatedAt: l.CreatedAt}
}

// Withdraw removes what a failed post left, unless the command got through.
func Withdraw(h journal.Home, l *journal.Launch) {
	if _, err := os.Lstat(h.Command(l.ID)); err == nil {
		return
	}
	if l.EnvFile != "" {
		os.Remove(l.EnvFile)
	}
	if l.Verify != nil && l.Verify.EnvFile != "" {
		os.Remove(l.Verify.EnvFile)
	}
	os.RemoveAll(h.Run(l.ID))
}

// Env is the caller's environment with the additions in place, later ones
// winning, and PWD telling the truth about the child's directory.
func Env(own, extra []string, cwd string) []string {
	at := map[string]int{}
	var env []string
	for _, e := range append(append(own, "PWD="+cwd), extra...) {
		k, _, _ := strings.Cut(e, "=")
		if i, ok := at[k]; ok {
			env[i] = e
			continue
		}
		at[k] = len(env)
		env = append(env, e)
	}
	return env
}

// Getenv looks a variable up in an environment.
func Getenv(env []string, name string) string {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}

// tree lets the tests choose an implementation; people have no use for it.
func tree() string {
	if t := os.Getenv("AGENT_RUNS_TREE"); t != "" {
		return t
	}
	return "auto"
}
