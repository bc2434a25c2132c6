//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// durable writes records as the journal does.
func durable(p *place) ([]time.Duration, error) {
	var v []time.Duration
	for i := range 60 {
		t := mono()
		if err := journal.WriteOnce(filepath.Join(p.dir, fmt.Sprintf("record%d.json", i)), journal.Result{Version: 1, ID: "x"}); err != nil {
			return nil, err
		}
		v = append(v, time.Duration(mono()-t))
		time.Sleep(2 * time.Millisecond)
	}
	return v, nil
}

// history compares list and inspect in a home with 10 and with 10,000
// finished runs.
func history(p *place) ([]row, error) {
	_, one, err := p.spawn(p.cmd("delegate", "-q", "--wait", "--", "/bin/true"))
	if err != nil {
		return nil, err
	}
	if _, _, err := p.spawn(p.cmd("agent-runs", "supervisor", "stop")); err != nil {
		return nil, err
	}
	var rows []row
	base := map[string]time.Duration{}
	for _, n := range []int{10, 10000} {
		if err := p.copyRuns(one, n); err != nil {
			return nil, err
		}
		time.Sleep(200 * time.Millisecond) // the cache believes a directory only when its time has settled
		for _, c := range [][]string{p.cmd("agent-runs", "list"), p.cmd("agent-runs", "inspect", one)} {
			var u, v []time.Duration
			for i := range 33 {
				d, _, err := p.spawn(c)
				if err != nil {
					return nil, err
				}
				if i > 1 {
					u, v = append(u, p.unit()), append(v, d)
				}
			}
			bound := "4 U"
			if n > 10 {
				bound += fmt.Sprintf("; %.2f × of 10 runs, bound 1.5 ×", float64(median(v))/float64(base[c[1]]))
			}
			base[c[1]] = median(v)
			rows = append(rows, row{fmt.Sprintf("`%s` with %d finished runs", c[1], n), units(v, median(u)), bound})
		}
	}
	return rows, nil
}

// copyRuns fills the home up to n finished runs, each a copy of one under an
// id of its own.
func (p *place) copyRuns(one string, n int) error {
	h := journal.Home{Dir: p.home()}
	var l journal.Launch
	var pr journal.Process
	var e journal.Exit
	var r journal.Result
	for name, record := range map[string]any{journal.LaunchFile: &l, journal.ProcessFile: &pr, journal.ExitFile: &e, journal.ResultFile: &r} {
		if err := journal.Read(h.File(one, name), record); err != nil {
			return err
		}
	}
	ids, err := journal.RunIDs(h)
	if err != nil {
		return err
	}
	for i := len(ids); i < n; i++ {
		id := journal.NewID(time.Now())
		l.ID, l.RootID, pr.ID, e.ID, r.ID = id, id, id, id, id
		if err := os.Mkdir(h.Run(id), 0o700); err != nil {
			return err
		}
		for name, record := range map[string]any{journal.LaunchFile: l, journal.ProcessFile: pr, journal.ExitFile: e, journal.ResultFile: r} {
			if err := plain(h.File(id, name), record); err != nil {
				return err
			}
		}
	}
	return nil
}

// plain writes a record without syncing: ten thousand of them.
func plain(path string, record any) error {
	b, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}
