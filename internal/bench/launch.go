//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// floor says what this machine takes for the parts, so that the rest can be
// held against it.
func floor(p *place) ([]row, error) {
	var u, v []time.Duration
	for range 101 {
		u = append(u, p.unit())
		d, _, err := p.spawn(p.cmd("delegate", "--version"))
		if err != nil {
			return nil, err
		}
		v = append(v, d)
	}
	m := median(u)
	rows := []row{{"U: fork+exec+wait of /bin/true", fmt.Sprintf("1 (%v)", m.Round(time.Microsecond)), ""}, {"delegate that only starts", units(v, m), ""}}
	r, err := durable(p)
	return append(rows, row{"one durable record (write, fsync, link, fsync directory)", units(r, m), ""}), err
}

func launch(p *place) ([]row, error) {
	if _, _, err := p.spawn(p.cmd("delegate", "-q", "--wait", "--", "/bin/true")); err != nil {
		return nil, err
	}
	var u, first, back []time.Duration
	for i := range 60 {
		time.Sleep(20 * time.Millisecond)
		u = append(u, p.unit())
		path := filepath.Join(p.dir, "stamp"+strconv.Itoa(i))
		t := mono()
		d, _, err := p.spawn(p.cmd("delegate", "-q", "--", filepath.Join(p.bin, "kid"), "idle", path))
		if err != nil {
			return nil, err
		}
		at, _, err := stamp(path)
		if err != nil {
			return nil, err
		}
		first, back = append(first, time.Duration(at-t)), append(back, d)
	}
	m := median(u)
	return []row{
		{"`delegate` → the child's first instruction", units(first, m), "6 U"},
		{"`delegate` returns", units(back, m), "7 U"},
	}, nil
}

func burst(p *place) ([]row, error) {
	if _, _, err := p.spawn(p.cmd("delegate", "-q", "--wait", "--", "/bin/true")); err != nil {
		return nil, err
	}
	var u []time.Duration
	for range 31 {
		u = append(u, p.unit())
	}
	const n = 200
	t := time.Now()
	if _, err := p.many(n); err != nil {
		return nil, err
	}
	each := time.Since(t) / n
	for range 31 {
		u = append(u, p.unit())
	}
	return []row{{"200 launches, 8 callers, each", fmt.Sprintf("%.2f U", float64(each)/float64(median(u))), "6 U"}}, nil
}

func stop(p *place) ([]row, error) {
	warm, err := p.stops(20, 0)
	if err != nil {
		return nil, err
	}
	cold, err := p.stops(3, 10*time.Second)
	return []row{
		{"`stop` of a child that obeys TERM, right after the launch", warm, "9 U"},
		{"the same after 10 s of idleness", cold, "9 U"},
	}, err
}

func (p *place) stops(n int, rest time.Duration) (string, error) {
	var u, v []time.Duration
	for i := range n {
		id, err := p.idle(fmt.Sprintf("stop-%v-%d", rest, i))
		if err != nil {
			return "", err
		}
		time.Sleep(rest + 30*time.Millisecond)
		d, _, err := p.spawn(p.cmd("agent-runs", "stop", id))
		if err != nil {
			return "", err
		}
		u, v = append(u, p.unit()), append(v, d)
	}
	return units(v, median(u)), nil
}
