package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	units "github.com/docker/go-units"
)

// sheetWidth bounds one line of the sheet, in characters.
const sheetWidth = 1000

// printSheet shows one run to people: what it is, how it stands, what is left
// of it, how to go on.
func printSheet(v cli.View) error {
	t, flush := table()
	now := time.Now()
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(t, "%s\t%s\n", name, value)
		}
	}
	row("run", v.ID)
	row("name", v.Name)
	row("owner", v.Owner)
	row("status", statusLine(v))
	row("waiting", v.Waiting)
	if v.Launch != nil && v.Launch.PlanID != "" {
		row("plan", v.Launch.PlanID+", task "+v.Launch.Task)
	}
	if v.Launch != nil {
		row("needs", strings.Join(v.Launch.Needs, ", "))
	}
	if v.IsAgent() {
		agentRows(v, row)
	}
	if v.Launch != nil {
		row("command", cli.CommandLine(v.Launch.Program.Argv, sheetWidth))
		row("cwd", v.Launch.Cwd)
		if !v.IsAgent() {
			row("stdin", strings.TrimSpace(v.Launch.Stdin.Mode+" "+v.Launch.Stdin.Path))
		}
		row("limits", limitWords(v.Launch.Limits))
	}
	verifyRows(v, row)
	row("created", moment(v.CreatedAt, now))
	row("started", moment(v.StartedAt, now))
	row("ended", ended(v, now))
	if v.Process != nil {
		row("process", fmt.Sprintf("pid %d, shim %d", v.Process.PID, v.Process.Shim.PID))
	}
	row("tree", treeWords(v))
	row("usage", usageWords(v))
	row("ceilings", ceilingWords(v))
	row("stdout", sizeWords(v.Output.Stdout))
	row("stderr", sizeWords(v.Output.Stderr))
	for _, d := range v.Damaged {
		row("damaged", d.Error)
	}
	next := goOn(v)
	if v.ByLimit() {
		next = append(next, "agent-runs settings --explain (where limits come from)")
	}
	row("go on", strings.Join(next, " · "))
	return flush()
}

func statusLine(v cli.View) string {
	if v.Phase == journal.PhaseTerminal {
		return v.Ending()
	}
	if v.Cause != "" {
		return v.Status + " (" + v.Cause + ")"
	}
	return v.Status
}

func moment(t *time.Time, now time.Time) string {
	if t == nil {
		return ""
	}
	return cli.Stamp(*t) + ", " + cli.Age(*t, now) + " ago"
}

func ended(v cli.View, now time.Time) string {
	s := moment(v.EndedAt, now)
	if s != "" && v.StartedAt != nil {
		s += ", took " + cli.Took(v.EndedAt.Sub(*v.StartedAt))
	}
	return s
}

func limitWords(l journal.Limits) string {
	var words []string
	add := func(name string, ms int64) {
		if ms > 0 {
			words = append(words, name+" "+(time.Duration(ms)*time.Millisecond).String())
		}
	}
	add("duration", l.MaxDurationMS)
	add("queue wait", l.MaxQueueWaitMS)
	add("start", l.StartupMS)
	add("idle", l.IdleMS)
	words = append(words, agentLimits(l)...)
	if l.MaxOutputBytes > 0 {
		words = append(words, "output "+units.BytesSize(float64(l.MaxOutputBytes)))
	}
	if l.MaxMemoryBytes > 0 {
		words = append(words, "memory "+units.BytesSize(float64(l.MaxMemoryBytes)))
	}
	if l.MaxProcesses > 0 {
		words = append(words, fmt.Sprintf("processes %d", l.MaxProcesses))
	}
	return strings.Join(append(words, "grace "+l.Grace().String()), ", ")
}

// treeWords says what is proven about the tree and who is in it.
func treeWords(v cli.View) string {
	words := []string{v.Tree.State}
	if v.Exit != nil {
		if s := cli.Leftovers(v.Exit.Leftovers, true); s != "" {
			words = append(words, "cleared: "+s)
		}
		if s := cli.Leftovers(v.Exit.Leftovers, false); s != "" {
			words = append(words, "left: "+s)
		}
	}
	if s := cli.Members(v.Tree.Members); s != "" {
		words = append(words, "alive: "+s)
	}
	if doubt := v.Doubt(); doubt != "" && len(words) == 1 {
		words = append(words, doubt)
	}
	return strings.Join(words, "; ")
}

func usageWords(v cli.View) string {
	if v.Exit == nil || v.Exit.Rusage == nil {
		return ""
	}
	u := v.Exit.Rusage
	ms := func(n int64) string { return cli.Took(time.Duration(n) * time.Millisecond) }
	return fmt.Sprintf("%s user, %s system, %s at most", ms(u.UserMS), ms(u.SystemMS), units.BytesSize(float64(u.MaxRSSKB)*1024))
}

// ceilingWords says what the run's ceilings kept from it.
func ceilingWords(v cli.View) string {
	if v.Exit == nil {
		return ""
	}
	var words []string
	if n := v.Exit.OOMKills; n > 0 {
		words = append(words, fmt.Sprintf("%d processes ended for want of memory", n))
	}
	if n := v.Exit.ForksDenied; n > 0 {
		words = append(words, fmt.Sprintf("%d times no other process was to be had", n))
	}
	return strings.Join(words, ", ")
}

func sizeWords(b cli.Bytes) string {
	return fmt.Sprintf("%d bytes in %s", b.Bytes, b.Path)
}

// goOn lists the commands that make sense now.
func goOn(v cli.View) []string {
	if v.Phase == journal.PhaseTerminal && v.Doubt() != "" {
		return []string{"agent-runs logs " + v.ID, "agent-runs rm --force " + v.ID + " (gives up what may be left)"}
	}
	if v.IsAgent() {
		return agentGoOn(v)
	}
	if v.Phase == journal.PhaseTerminal {
		return []string{"agent-runs logs " + v.ID, "agent-runs rm " + v.ID}
	}
	next := []string{"agent-runs logs -f " + v.ID, "agent-runs wait " + v.ID}
	if v.Launch != nil && v.Launch.Stdin.Mode == "open" {
		next = append(next, "agent-runs steer "+v.ID+" TEXT")
	}
	return append(next, "agent-runs stop "+v.ID)
}
