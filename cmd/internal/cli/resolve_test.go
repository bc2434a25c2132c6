package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

func codeOfTest(err error) int {
	var fail *Error
	if errors.As(err, &fail) {
		return fail.Code
	}
	return OK
}

func TestResolve(t *testing.T) {
	m := makeHome(t)
	done := func(owner, name string) string {
		return m.run(fate{owner: owner, name: name, status: journal.StatusCompleted})
	}
	live := func(owner, name string) string {
		return m.run(fate{owner: owner, name: name, status: string(journal.PhaseRunning)})
	}
	firstBuild, secondBuild := done("ann", "build"), done("ann", "build")
	liveTest := live("ann", "test")
	done("ann", "test")
	live("ann", "twins")
	live("ann", "twins")
	done("ann", "mine")
	ownMine := done("ann", "mine")
	live("bob", "mine")
	bobs := done("bob", "his")
	odd := done("ann", "a\tb \"c\"")
	m.settle()
	_ = firstBuild

	for _, round := range []string{"scanned", "cached"} {
		for _, c := range []struct {
			what, ref, want string
			code            int
		}{
			{"a whole id", bobs, bobs, OK},
			{"a whole id in small letters", strings.ToLower(bobs), bobs, OK},
			{"a unique prefix", bobs[:25], bobs, OK},
			{"a unique prefix in small letters", strings.ToLower(bobs[:25]), bobs, OK},
			{"the newest finished run of a name", "build", secondBuild, OK},
			{"a live run before younger finished ones", "test", liveTest, OK},
			{"two live ones", "twins", "", Usage},
			{"one's own before a live one of somebody else", "mine", ownMine, OK},
			{"a name that only somebody else uses", "his", bobs, OK},
			{"a name with a tab and quotes", "a\tb \"c\"", odd, OK},
			{"a prefix that all share", bobs[:4], "", Usage},
			{"a prefix that is too short", bobs[:3], "", NotFound},
			{"an unknown name", "nothing", "", NotFound},
			{"part of a name", "buil", "", NotFound},
			{"an unknown id", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "", NotFound},
			{"nothing", "", "", Usage},
			{"a path", "../runs", "", NotFound},
			{"a tab", "\t", "", NotFound},
		} {
			t.Run(round+" "+c.what, func(t *testing.T) {
				got, err := Resolve(m.home, c.ref, "ann")
				require.Equal(t, c.code, codeOfTest(err), "%v", err)
				require.Equal(t, c.want, got)
			})
		}
		_, _, err := List(m.home, Query{Owner: "ann", Limit: 3}) // stores the cache, most of it unknown
		require.NoError(t, err)
	}
}

func TestAmbiguousReferencesNameTheCandidates(t *testing.T) {
	m := makeHome(t)
	a := m.run(fate{owner: "ann", name: "twins", status: string(journal.PhaseRunning)})
	b := m.run(fate{owner: "ann", name: "twins", status: string(journal.PhaseQueued)})
	_, err := Resolve(m.home, "twins", "ann")
	require.ErrorContains(t, err, a)
	require.ErrorContains(t, err, b)
	for range 20 {
		m.run(fate{owner: "ann", status: journal.StatusCompleted})
	}
	_, err = Resolve(m.home, a[:4], "ann")
	require.ErrorContains(t, err, "and 17 more")
}

func TestResolveAll(t *testing.T) {
	m := makeHome(t)
	a := m.run(fate{owner: "ann", name: "a", status: journal.StatusCompleted})
	b := m.run(fate{owner: "ann", name: "b", status: journal.StatusCompleted})
	ids, err := ResolveAll(m.home, []string{"b", a, "a", b}, "ann")
	require.NoError(t, err)
	require.Equal(t, []string{b, a}, ids)
	_, err = ResolveAll(m.home, []string{"a", "c"}, "ann")
	require.Equal(t, NotFound, codeOfTest(err))
}
