package modelserver

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func start(t *testing.T) *Server {
	t.Helper()
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// each runs a test for every protocol, streaming and whole.
func each(t *testing.T, f func(t *testing.T, w wire, stream bool)) {
	for name, w := range wires {
		for _, stream := range []bool{true, false} {
			t.Run(name+map[bool]string{true: "/stream", false: "/whole"}[stream], func(t *testing.T) {
				t.Parallel()
				f(t, w, stream)
			})
		}
	}
}

func TestAnswers(t *testing.T) {
	run := Turn{FromUser, "do it [[bash:echo one]][[bash:echo two]]"}
	first, second := Turn{FromTool, "one\n"}, Turn{FromTool, "two\n"}
	steer := Turn{FromUser, "go left"}
	for _, c := range []struct {
		name  string
		turns []Turn
		want  string
	}{
		{"plain", []Turn{{FromUser, "hello"}}, `OK users=1 last_user="hello" results=0`},
		{"say", []Turn{{FromUser, "x [[say:hi there]]"}}, "SAID hi there"},
		{"first call", []Turn{run}, "I will run it. "},
		{"second call", []Turn{run, first}, "I will run it. "},
		{"result", []Turn{run, first, second}, `users=1 last_user="do it [[bash:echo one]][[bash:echo two]]" results=2 last_result=`},
		{"steer", []Turn{run, first, second, steer}, `FINAL users=2 last_user="go left" results=2`},
		{"interrupted", []Turn{run, steer}, `FINAL users=2 last_user="go left" results=0`},
		{"next prompt", []Turn{{FromUser, "[[say:a]]"}, {FromModel, "SAID a"}, steer}, `OK users=2 last_user="go left"`},
		{"after a failure", []Turn{{FromUser, "[[status:500]]"}, steer}, `FINAL users=2 last_user="go left"`},
		{"reminder", []Turn{{FromUser, "hello"}, {FromUser, "<system-reminder>[[hang]]</system-reminder>"}}, `OK users=1 last_user="hello"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, w wire, stream bool) {
				_, raw, err := w.post(t, start(t), stream, c.turns...)
				if err != nil {
					t.Fatal(err)
				}
				if got := w.said(t, stream, raw); !strings.Contains(got, c.want) {
					t.Errorf("said %q, want %q", got, c.want)
				}
			})
		})
	}
}

func TestCallsAndUsage(t *testing.T) {
	each(t, func(t *testing.T, w wire, stream bool) {
		s := start(t)
		_, raw, err := w.post(t, s, stream, Turn{FromUser, `[[bash:echo "a b"]]`})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"echo", "a b", ":20", ":40"} {
			if !strings.Contains(raw, want) {
				t.Errorf("no %s in %s", want, raw)
			}
		}
		q := s.Requests()[0]
		if q.Model != "m" || q.Stream != stream || q.System != "be brief" || len(q.Tools) != 1 || !strings.HasPrefix(q.Reply, "call "+q.Tools[0].Name) {
			t.Errorf("recorded %+v", q)
		}
	})
}

func TestStatus(t *testing.T) {
	each(t, func(t *testing.T, w wire, stream bool) {
		for status, script := range map[int]string{401: "[[status:401]]", 500: "[[status:500]]", 400: "[[status:many]]"} {
			got, raw, err := w.post(t, start(t), stream, Turn{FromUser, script})
			if err != nil || got != status || at(t, raw, []string{"error", "message"}) == "" {
				t.Errorf("%s: %d %s, %v", script, got, raw, err)
			}
		}
	})
}

func TestFailsTheGivenTimes(t *testing.T) {
	each(t, func(t *testing.T, w wire, stream bool) {
		s := start(t)
		for try, want := range []int{429, 429, 200} {
			if got, raw, err := w.post(t, s, stream, Turn{FromUser, "[[status:429:2]]"}); err != nil || got != want {
				t.Errorf("try %d: %d %s, %v", try, got, raw, err)
			}
		}
		if _, _, err := w.post(t, s, stream, Turn{FromUser, "[[drop:1]]"}); err == nil {
			t.Error("not dropped")
		}
		if _, raw, err := w.post(t, s, stream, Turn{FromUser, "[[drop:1]]"}); err != nil || !strings.Contains(raw, "FINAL") {
			t.Errorf("%s, %v", raw, err)
		}
	})
}

func TestNoSuchModel(t *testing.T) {
	s := start(t)
	r, err := http.Post(s.URL()+"/v1/messages", "", strings.NewReader(`{"model":"no-such-model"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusNotFound {
		t.Error(r.Status)
	}
}

// TestClaudeSteer has a message in Claude Code's own words, as 2.1.332 sent it.
func TestClaudeSteer(t *testing.T) {
	q := Request{Body: []byte(`{"messages":[{"role":"system","content":"The user sent a new message while you were working:\ngo left\n\nThis is how Claude Code surfaces messages"}]}`)}
	if err := (anthropic{}).read(&q); err != nil || last(q.Users()) != "go left" {
		t.Errorf("%q, %v", q.Users(), err)
	}
}

func TestDrop(t *testing.T) {
	each(t, func(t *testing.T, w wire, stream bool) {
		if _, raw, err := w.post(t, start(t), stream, Turn{FromUser, "[[drop]]"}); err == nil || raw == "" {
			t.Errorf("read %q, %v, want a part and an error", raw, err)
		}
	})
}

func TestSlow(t *testing.T) {
	each(t, func(t *testing.T, w wire, stream bool) {
		begun := time.Now()
		_, raw, err := w.post(t, start(t), stream, Turn{FromUser, "[[slow:0.3]]"})
		if got := w.said(t, stream, raw); err != nil || !strings.HasPrefix(got, "SLOW word") {
			t.Errorf("said %q, %v", got, err)
		}
		if took := time.Since(begun); took < 250*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

// TestHang shows that silence lasts until the client gives up, and that Close ends it for the server's part.
func TestHang(t *testing.T) {
	s := start(t)
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/v1/responses", strings.NewReader(`{"input":"[[hang]]","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if n, err := r.Body.Read(make([]byte, 1)); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("read %d bytes, %v", n, err)
	}
	r, err = http.Post(s.URL()+"/v1/responses", "", strings.NewReader(`{"input":"[[hang]]","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Body.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("read %d bytes, %v from a closed server", n, err)
	}
}

func TestManyAtOnce(t *testing.T) {
	s := start(t)
	var all sync.WaitGroup
	for _, w := range wires {
		for range 10 {
			all.Go(func() {
				if _, raw, err := w.post(t, s, true, Turn{FromUser, "[[say:x]]"}); err != nil || !strings.Contains(raw, "SAID") {
					t.Errorf("%s, %v", raw, err)
				}
			})
		}
	}
	all.Wait()
	if n := len(s.Requests()); n != 10*len(wires) {
		t.Errorf("%d requests", n)
	}
}

func TestAside(t *testing.T) {
	s := start(t)
	for path, want := range map[string]int{"/v1/models": 200, "/nothing": 404} {
		r, err := http.Get(s.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
}
