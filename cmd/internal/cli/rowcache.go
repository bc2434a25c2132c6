package cli

import (
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// The row cache spares a listing the reading of a hundred records. It is
// never truth: a row is believed only under the seal of the records it was
// made from, so what was changed or damaged since is read again.
const (
	rowsFile   = "rows.cache"
	rowsHeader = "agent-runs rows 3"
	rowsKept   = 200
	// rowSettle is how old records must be before a seal tells a change: file
	// systems stamp with the granularity of the kernel's tick.
	rowSettle = 100 * time.Millisecond
)

type rowCache struct {
	home  journal.Home
	lines map[string]string // by id
	fresh bool              // there are lines that the file has not
}

func openRowCache(h journal.Home) *rowCache {
	c := &rowCache{home: h, lines: map[string]string{}}
	b, err := os.ReadFile(filepath.Join(h.Dir, rowsFile))
	if err != nil {
		return c // a cache that cannot be read is no cache
	}
	head, body, _ := strings.Cut(string(b), "\n")
	if head != rowsHeader {
		return c
	}
	for line := range strings.Lines(body) {
		id, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		c.lines[id] = rest
	}
	return c
}

// row returns the row of a run. The seal is taken before the records are
// read: it can only be older than they are, and is then of no use.
func (c *rowCache) row(id string) (Row, error) {
	seal := sealOf(c.home, id)
	if r, ok := parseRow(id, seal, c.lines[id]); ok {
		return r, nil
	}
	v, err := readView(c.home, id)
	r := rowOf(v)
	if err == nil && r.Over && seal != "" {
		c.lines[id], c.fresh = formatRow(seal, r), true
	}
	return r, err
}

// sealOf stands for the present state of a run's records, or is "" for one
// whose result is not there or that changed just now.
func sealOf(h journal.Home, id string) string {
	sum := fnv.New64a()
	var b []byte
	for _, name := range []string{journal.ResultFile, journal.ExitFile, journal.StopFile, journal.ProcessFile, journal.LaunchFile} {
		info, err := os.Lstat(h.File(id, name))
		switch {
		case err == nil && time.Since(info.ModTime()) < rowSettle, err != nil && name == journal.ResultFile:
			return ""
		case err == nil:
			b = strconv.AppendInt(b, info.Size(), 10)
			b = strconv.AppendInt(append(b, ' '), info.ModTime().UnixNano(), 10)
		}
		b = append(b, ',')
	}
	sum.Write(b)
	return strconv.FormatUint(sum.Sum64(), 36)
}

// store writes the cache if there is something new to it. Its errors are
// nobody's concern: without it the records are read again.
func (c *rowCache) store() {
	if !c.fresh {
		return
	}
	ids := slices.Sorted(maps.Keys(c.lines))
	ids = ids[max(0, len(ids)-rowsKept):]
	b := []byte(rowsHeader + "\n")
	for _, id := range ids {
		b = append(append(append(append(b, id...), '\t'), c.lines[id]...), '\n')
	}
	tmp := filepath.Join(c.home.Dir, ".tmp-"+rowsFile+"-"+strconv.Itoa(os.Getpid()))
	if os.WriteFile(tmp, b, 0o600) == nil {
		os.Rename(tmp, filepath.Join(c.home.Dir, rowsFile))
	}
}

func formatRow(seal string, r Row) string {
	f := []string{seal}
	for _, t := range []time.Time{r.Created, r.Started, r.Ended} {
		if t.IsZero() {
			f = append(f, "")
		} else {
			f = append(f, strconv.FormatInt(t.UnixNano(), 10))
		}
	}
	for _, s := range []string{r.Owner, r.Name, r.Status, r.Runtime, r.Command} {
		f = append(f, strconv.Quote(s))
	}
	return strings.Join(f, "\t")
}

func parseRow(id, seal, line string) (r Row, ok bool) {
	f := strings.Split(line, "\t")
	if len(f) != 9 || seal == "" || f[0] != seal {
		return r, false
	}
	r = Row{ID: id, Over: true}
	for i, t := range []*time.Time{&r.Created, &r.Started, &r.Ended} {
		if f[1+i] == "" {
			continue
		}
		ns, err := strconv.ParseInt(f[1+i], 10, 64)
		if err != nil {
			return r, false
		}
		*t = time.Unix(0, ns)
	}
	for i, s := range []*string{&r.Owner, &r.Name, &r.Status, &r.Runtime, &r.Command} {
		var err error
		if *s, err = strconv.Unquote(f[4+i]); err != nil {
			return r, false
		}
	}
	return r, true
}
