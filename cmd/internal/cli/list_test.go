package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

// naive is a listing that reads everything and trusts no cache.
func naive(t *testing.T, h journal.Home) []View {
	ids, err := journal.RunIDs(h)
	require.NoError(t, err)
	slices.Sort(ids)
	slices.Reverse(ids)
	var all []View
	for _, id := range ids {
		v, err := Brief(h, id)
		if isGone(err) {
			continue
		}
		require.NoError(t, err)
		all = append(all, v)
	}
	return all
}

func (q Query) naive(all []View) (ids []string, next string) {
	for _, v := range all {
		switch {
		case q.Cursor != "" && v.ID >= q.Cursor,
			q.Owner != "" && v.Owner != "" && v.Owner != q.Owner,
			q.Status != "" && v.Status != q.Status,
			!q.Parts && v.Launch != nil && v.Launch.PartOf != "" && v.Launch.Owner != "":
			continue
		}
		if len(ids) == q.Limit {
			return ids, ids[q.Limit-1]
		}
		ids = append(ids, v.ID)
	}
	return ids, ""
}

func queries() []Query {
	list := []Query{{Limit: 20}, {Limit: 7, Owner: "ann"}, {Limit: 20, Owner: "bob"}, {Limit: 20, Owner: "nobody"}, {Limit: 100_000}, {Limit: 100_000, Parts: true}, {Limit: 30, Owner: "ann", Parts: true}}
	for _, s := range Statuses() {
		list = append(list, Query{Limit: 20, Status: s}, Query{Limit: 3, Owner: "bob", Status: s})
	}
	return list
}

func TestListSaysWhatTheRecordsSay(t *testing.T) {
	m := makeHome(t)
	m.crowd(crowdSize)
	m.settle()
	all := naive(t, m.home)
	for round := range 3 { // without a cache, with one, with what was learned
		for _, q := range queries() {
			ids, next, err := List(m.home, q)
			require.NoError(t, err)
			wantIDs, wantNext := q.naive(all)
			require.Equal(t, wantIDs, ids, "round %d, %+v", round, q)
			require.Equal(t, wantNext, next, "round %d, %+v", round, q)
		}
	}
	views, err := Views(m.home, idsOf(all[:200]))
	require.NoError(t, err)
	require.Equal(t, all[:200], views)
}

func idsOf(views []View) (ids []string) {
	for _, v := range views {
		ids = append(ids, v.ID)
	}
	return ids
}

func TestPagesOfAListAreTheList(t *testing.T) {
	m := makeHome(t)
	m.crowd(500)
	all := naive(t, m.home)
	for _, q := range []Query{{Limit: 17}, {Limit: 17, Owner: "bob"}, {Limit: 5, Status: journal.StatusFailed}} {
		want, _ := Query{Owner: q.Owner, Status: q.Status, Limit: len(all)}.naive(all)
		var got []string
		for {
			ids, next, err := List(m.home, q)
			require.NoError(t, err)
			got = append(got, ids...)
			if next == "" {
				break
			}
			q.Cursor = next
		}
		require.Equal(t, want, got)
	}
}

func TestListOfNoHomeIsEmpty(t *testing.T) {
	ids, next, err := List(journal.Home{Dir: filepath.Join(t.TempDir(), "none")}, Query{Limit: 20})
	require.NoError(t, err)
	require.Empty(t, ids)
	require.Empty(t, next)
}

// old lets the records of a run look as if they were written long ago, so
// that a row made from them may be kept.
func (m *made) old(ids ...string) {
	past := time.Now().Add(-time.Hour)
	for _, id := range ids {
		for _, name := range []string{journal.LaunchFile, journal.ProcessFile, journal.StopFile, journal.ExitFile, journal.ResultFile} {
			if err := os.Chtimes(m.home.File(id, name), past, past); err != nil {
				require.ErrorIs(m.t, err, os.ErrNotExist)
			}
		}
	}
}

func TestRowsSayWhatTheRecordsSay(t *testing.T) {
	m := makeHome(t)
	m.crowd(300)
	all := naive(t, m.home)
	m.old(idsOf(all)...)
	for round := range 3 {
		rows, err := Rows(m.home, idsOf(all))
		require.NoError(t, err)
		require.Len(t, rows, len(all))
		for i, v := range all {
			want := rowOf(v)
			for _, at := range []struct{ want, got time.Time }{{want.Created, rows[i].Created}, {want.Started, rows[i].Started}, {want.Ended, rows[i].Ended}} {
				require.True(t, at.want.Equal(at.got), "round %d, %s", round, v.ID)
			}
			want.Created, want.Started, want.Ended = rows[i].Created, rows[i].Started, rows[i].Ended
			require.Equal(t, want, rows[i], "round %d", round)
		}
	}
	require.FileExists(t, filepath.Join(m.home.Dir, rowsFile))
}

// TestDamageShowsThroughTheCache spoils each record of a run whose row was
// kept.
func TestDamageShowsThroughTheCache(t *testing.T) {
	for _, file := range []string{journal.LaunchFile, journal.ProcessFile, journal.ExitFile, journal.ResultFile} {
		for name, spoil := range map[string]func(path string, body []byte) error{
			"emptied":    func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o600) },
			"NUL-filled": func(path string, body []byte) error { return os.WriteFile(path, make([]byte, len(body)), 0o600) },
			"replaced": func(path string, _ []byte) error {
				return os.Rename(path, path+".away")
			},
		} {
			t.Run(file+" "+name, func(t *testing.T) {
				m := makeHome(t)
				id := m.run(fate{owner: "ann", status: journal.StatusCompleted})
				m.old(id)
				rows, err := Rows(m.home, []string{id})
				require.NoError(t, err)
				require.Equal(t, "completed", rows[0].Status)
				path := m.home.File(id, file)
				body, err := os.ReadFile(path)
				require.NoError(t, err)
				require.NoError(t, spoil(path, body))
				rows, err = Rows(m.home, []string{id})
				require.NoError(t, err)
				v, err := Brief(m.home, id)
				require.NoError(t, err)
				require.Equal(t, rowOf(v).Status, rows[0].Status)
				if name != "replaced" {
					require.Contains(t, rows[0].Status, "damaged")
				}
			})
		}
	}
}

func TestASpoiledRowCacheIsNoCache(t *testing.T) {
	m := makeHome(t)
	id := m.run(fate{owner: "ann", status: journal.StatusFailed})
	m.old(id)
	want, err := Rows(m.home, []string{id})
	require.NoError(t, err)
	path := filepath.Join(m.home.Dir, rowsFile)
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := range len(body) {
		require.NoError(t, os.WriteFile(path, body[:cut], 0o600))
		got, err := Rows(m.home, []string{id})
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(want[0].Status, want[0].Command), fmt.Sprint(got[0].Status, got[0].Command), "cut at %d", cut)
	}
}

func BenchmarkList(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := makeHome(b)
			for range n {
				m.run(fate{owner: "ann", status: journal.StatusCompleted})
			}
			m.settle()
			for b.Loop() {
				ids, _, err := List(m.home, Query{Owner: "ann", Limit: 20})
				require.NoError(b, err)
				_, err = Rows(m.home, ids)
				require.NoError(b, err)
			}
		})
	}
}
