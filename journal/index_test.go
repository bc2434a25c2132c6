package journal_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// indexModel is what a listing must say: the directories, read one by one.
type indexModel struct {
	home  journal.Home
	epoch int
	clock time.Time // past times for runs/, so that a cache of it may be stored
	runs  map[string]journal.Entry
}

// anyText makes names that could break a line of the cache.
var anyText = rapid.OneOf(
	rapid.StringMatching(`[a-z]{1,8}`),
	rapid.String(),
	rapid.SampledFrom([]string{"tab\tnewline\n", `"quoted"`, "\x00", strings.Repeat("ö", 40_000), "01KJMDZM00VN4DMTDYQKWM3A7Z"}),
)

func (m *indexModel) add(t *rapid.T) {
	at := time.UnixMilli(rapid.Int64Range(1_700_000_000_000, 1_700_000_000_050).Draw(t, "created"))
	e := journal.Entry{ID: journal.NewID(at)}
	require.NoError(t, os.Mkdir(m.home.Run(e.ID), 0o700))
	if rapid.IntRange(0, 4).Draw(t, "no launch record") > 0 {
		e.Owner, e.Name = strings.ToValidUTF8(anyText.Draw(t, "owner"), "?"), strings.ToValidUTF8(anyText.Draw(t, "name"), "?")
		l := journal.Launch{Version: 1, ID: e.ID, Owner: e.Owner, Name: e.Name}
		if e.Part = rapid.Bool().Draw(t, "a part"); e.Part {
			l.PartOf = e.ID
		}
		body, err := json.Marshal(l)
		require.NoError(t, err)
		// Not synced: there are thousands of them.
		require.NoError(t, os.WriteFile(m.home.File(e.ID, journal.LaunchFile), body, 0o600))
	}
	m.runs[e.ID] = e
}

func (m *indexModel) some(t *rapid.T) string {
	if len(m.runs) == 0 {
		t.Skip("no runs")
	}
	ids := m.sorted()
	return ids[rapid.IntRange(0, len(ids)-1).Draw(t, "run")]
}

func (m *indexModel) sorted() []string {
	ids := make([]string, 0, len(m.runs))
	for id := range m.runs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids
}

func (m *indexModel) remove(t *rapid.T) {
	id := m.some(t)
	require.NoError(t, os.RemoveAll(m.home.Run(id)))
	delete(m.runs, id)
}

func (m *indexModel) finish(t *rapid.T) {
	id := m.some(t)
	e := m.runs[id]
	if e.Status == "" {
		e.Status = rapid.SampledFrom([]string{journal.StatusCompleted, journal.StatusFailed, journal.StatusStopped}).Draw(t, "status")
		m.runs[id] = e
	}
}

// settle lets runs/ look untouched for a long time.
func (m *indexModel) settle(t *rapid.T) {
	m.clock = m.clock.Add(time.Second)
	require.NoError(t, os.Chtimes(m.home.Runs(), m.clock, m.clock))
}

func (m *indexModel) open(t require.TestingT) *journal.Index {
	x, err := journal.OpenIndex(m.home, fmt.Sprintf("boot-%d", m.epoch))
	require.NoError(t, err)
	return x
}

// list compares the whole listing, learning and storing as a listing does.
func (m *indexModel) list(t *rapid.T) {
	x := m.open(t)
	defer x.Close()
	learn := rapid.Bool().Draw(t, "learn")
	got := []string{}
	for e := range x.Newest() {
		got = append(got, e.ID)
		e = x.Complete(e)
		want, ok := m.runs[e.ID]
		require.True(t, ok, "%s was removed", e.ID)
		require.Equal(t, want.Owner, e.Owner)
		if e.Owner != "" {
			require.Equal(t, want.Name, e.Name)
			require.Equal(t, want.Part, e.Part)
		}
		if e.Status != "" {
			require.Equal(t, want.Status, e.Status)
		} else if learn && want.Status != "" {
			e.Status = want.Status
			x.Learn(e)
		}
	}
	require.Equal(t, m.sorted(), got)
	x.Store()
}

// glance reads only the newest ones, as a page does.
func (m *indexModel) glance(t *rapid.T) {
	x := m.open(t)
	defer x.Close()
	n := rapid.IntRange(1, 3).Draw(t, "page")
	got := []string{}
	for e := range x.Newest() {
		if got = append(got, e.ID); len(got) == n {
			break
		}
	}
	require.Equal(t, m.sorted()[:min(n, len(m.runs))], got)
	x.Store()
}

// lateStore is a listing that is slow to store while runs come and go.
func (m *indexModel) lateStore(t *rapid.T) {
	x := m.open(t)
	defer x.Close()
	for range x.Newest() {
	}
	if rapid.Bool().Draw(t, "add") {
		m.add(t)
	} else {
		m.remove(t)
	}
	x.Store()
}

func (m *indexModel) reboot(t *rapid.T) {
	m.epoch++
	path := filepath.Join(m.home.Dir, "index.cache")
	body, err := os.ReadFile(path)
	if err != nil {
		return
	}
	switch rapid.IntRange(0, 2).Draw(t, "what the power cut left") {
	case 0:
		body = body[:rapid.IntRange(0, len(body)).Draw(t, "cut")]
	case 1:
		clear(body[rapid.IntRange(0, len(body)).Draw(t, "zeroed from"):])
	}
	require.NoError(t, os.WriteFile(path, body, 0o600))
}

func (m *indexModel) forget(*rapid.T) { os.Remove(filepath.Join(m.home.Dir, "index.cache")) }

func TestIndexSaysWhatTheDirectoriesSay(t *testing.T) {
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		h, err := journal.OpenHome(filepath.Join(root, fmt.Sprint(n)))
		require.NoError(t, err)
		defer os.RemoveAll(h.Dir)
		m := &indexModel{home: h, clock: time.Unix(1_700_000_000, 0), runs: map[string]journal.Entry{}}
		t.Repeat(map[string]func(*rapid.T){
			"add": m.add, "add another": m.add, "remove": m.remove, "finish": m.finish, "settle": m.settle, "list": m.list, "list again": m.list,
			"glance": m.glance, "late store": m.lateStore, "reboot": m.reboot, "forget": m.forget,
		})
		m.list(t)
	})
}

// TestIndexNeverHidesAFreshRun adds, removes and lists as fast as can be: the
// directory's time may be the same before and after.
func TestIndexNeverHidesAFreshRun(t *testing.T) {
	h, err := journal.OpenHome(filepath.Join(t.TempDir(), "home"))
	require.NoError(t, err)
	m := &indexModel{home: h, runs: map[string]journal.Entry{}}
	for i := range 300 {
		id := journal.NewID(time.Now())
		require.NoError(t, os.Mkdir(h.Run(id), 0o700))
		m.runs[id] = journal.Entry{}
		for range 2 {
			x := m.open(t)
			got := []string{}
			for e := range x.Newest() {
				got = append(got, e.ID)
			}
			require.Equal(t, m.sorted(), got)
			x.Store()
			x.Close()
		}
		if i%3 == 0 {
			require.NoError(t, os.Remove(h.Run(id)))
			delete(m.runs, id)
		}
	}
}
