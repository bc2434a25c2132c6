package supervisor

import (
	"bytes"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// steered is a run with an open stdin and nothing else: the test reads the
// fifo in the child's stead.
type steered struct {
	t *testing.T
	*run
	log bytes.Buffer
}

func newSteered(t *testing.T) *steered {
	h, err := journal.OpenHome(filepath.Join(t.TempDir(), "home"))
	require.NoError(t, err)
	id := journal.NewID(time.Now())
	require.NoError(t, os.Mkdir(h.Run(id), 0o700))
	require.NoError(t, unix.Mkfifo(h.File(id, journal.StdinFile), 0o600))
	x := &steered{t: t}
	s := &Supervisor{home: h, log: log.New(&x.log, "", 0), finished: make(chan string, 100)}
	x.run = s.newRun(journal.Launch{ID: id, Owner: "user", Stdin: journal.Stdin{Mode: "open"}}, id)
	gone := journal.Identity{BootID: "another", PID: os.Getpid()}
	x.process = &journal.Process{ID: id, Shim: journal.Shim{PID: gone.PID, Identity: gone}}
	return x
}

func (x *steered) child() *os.File {
	x.t.Helper()
	// For both, so that the test decides when there is no writer left.
	f, err := os.OpenFile(x.s.home.File(x.id, journal.StdinFile), os.O_RDWR, 0)
	require.NoError(x.t, err)
	x.t.Cleanup(func() { f.Close() })
	return f
}

func (x *steered) say(text string, eof bool) string {
	x.t.Helper()
	c := journal.Command{ID: journal.NewID(time.Now()), RunID: x.id, Text: text, EOF: eof}
	require.Empty(x.t, x.steerable(c))
	x.steer(c)
	return c.ID
}

// done waits for commands to be complete, in this order.
func (x *steered) done(ids ...string) {
	x.t.Helper()
	for _, want := range ids {
		select {
		case got := <-x.s.finished:
			require.Equal(x.t, want, got)
		case <-time.After(20 * time.Second):
			x.t.Fatalf("%s was never complete", want)
		}
	}
}

func (x *steered) told(kind string) (ids []string) {
	x.t.Helper()
	events, _, err := journal.ReadEvents(x.s.home.File(x.id, journal.EventsFile), 0)
	require.NoError(x.t, err)
	for _, e := range events {
		if e.Type == kind {
			ids = append(ids, e.Command)
		}
	}
	return ids
}

func TestSteerKeepsTheOrder(t *testing.T) {
	x := newSteered(t)
	early := []string{x.say("one ", false), x.say("two ", false)} // before the child runs
	child := x.child()
	x.openStdin()
	x.done(early...)
	late := x.say("three", false)
	x.done(late)
	got := make([]byte, len("one two three"))
	_, err := io.ReadFull(child, got)
	require.NoError(t, err)
	require.Equal(t, "one two three", string(got))
	require.Equal(t, append(early, late), x.told(journal.EventSteered))
	x.release()
	require.Equal(t, runEnded, x.steerable(journal.Command{}))
}

// TestSteerOfAChildThatDoesNotRead: it holds up nobody, a bounded amount is
// kept for it, and at its end each text is said to be lost.
func TestSteerOfAChildThatDoesNotRead(t *testing.T) {
	x := newSteered(t)
	x.child()
	x.openStdin()
	first := x.say(strings.Repeat("x", 1<<20), false)
	second := x.say("more", false)
	require.Contains(t, x.steerable(journal.Command{Text: strings.Repeat("x", maxBacklog)}), "no more than")
	require.Empty(t, x.steerable(journal.Command{Text: "a little"}))
	x.release()
	x.done(first, second)
	require.Equal(t, []string{first, second}, x.told(journal.EventSteerLost))
	require.Empty(t, x.told(journal.EventSteered))
}

func TestSteerToItsEnd(t *testing.T) {
	x := newSteered(t)
	child := x.child()
	x.openStdin()
	last := x.say("bye", true)
	x.done(last)
	require.Contains(t, x.steerable(journal.Command{}), "--eof")
	require.FileExists(t, x.s.home.File(x.id, stdinEnded))
	got := make([]byte, 3)
	_, err := io.ReadFull(child, got)
	require.NoError(t, err)
	x.release()

	// A supervisor that comes later does not open it again.
	again := &steered{t: t, run: x.s.newRun(x.launch, x.id)}
	again.process = x.process
	again.openStdin()
	require.Nil(t, again.stdin)
	require.Contains(t, again.steerable(journal.Command{}), "--eof")
}

func TestSteerOfAChildThatClosedItsStdin(t *testing.T) {
	x := newSteered(t)
	child := x.child()
	x.openStdin()
	require.NoError(t, child.Close())
	lost := x.say("hello?", false)
	x.done(lost)
	require.Equal(t, []string{lost}, x.told(journal.EventSteerLost))
	require.Equal(t, "the child closed its stdin", x.steerable(journal.Command{}))

	// The same where it was closed before anybody could open it.
	y := newSteered(t)
	waiting := y.say("hello?", false)
	y.openStdin()
	y.done(waiting)
	require.Equal(t, []string{waiting}, y.told(journal.EventSteerLost))
	x.release()
	y.release()
}

func TestSteerWhereStdinIsNotOpen(t *testing.T) {
	x := newSteered(t)
	x.launch.Stdin.Mode = "empty"
	require.Contains(t, x.steerable(journal.Command{}), "--stdin open")
	x.openStdin()
	require.Nil(t, x.stdin)
}
