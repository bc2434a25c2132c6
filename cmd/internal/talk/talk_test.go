package talk

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/stretchr/testify/require"
)

// scene is a run of pi whose files grow as the test says.
type scene struct {
	t      *testing.T
	home   journal.Home
	launch *journal.Launch
	said   int64
}

func newScene(t *testing.T, prompt string) *scene {
	h := journal.Home{Dir: t.TempDir()}
	const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	require.NoError(t, os.MkdirAll(h.Run(id), 0o700))
	return &scene{t: t, home: h, launch: &journal.Launch{ID: id, Context: journal.ContextFresh, Program: journal.Program{Runtime: "pi"},
		Agent: &journal.Agent{Prompt: prompt, Permission: journal.PermissionDeny}}}
}

func (s *scene) add(name, text string) {
	f, err := os.OpenFile(s.home.File(s.launch.ID, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	require.NoError(s.t, err)
	_, err = f.WriteString(text)
	require.NoError(s.t, err)
	require.NoError(s.t, f.Close())
}

func (s *scene) size(name string) int64 {
	info, err := os.Stat(s.home.File(s.launch.ID, name))
	if err != nil {
		return 0
	}
	return info.Size()
}

// say lists a message at the place where the stream stands.
func (s *scene) say(key string, kind agent.Kind, line string) {
	s.add(journal.SaidLogFile, line+"\n")
	s.said += int64(len(line)) + 1
	b, err := json.Marshal(journal.Said{Key: key, Kind: string(kind), End: s.said, At: s.size(journal.StdoutFile), Time: time.Now()})
	require.NoError(s.t, err)
	s.add(journal.SaidFile, string(b)+"\n")
}

// hear lets the agent say lines.
func (s *scene) hear(lines ...string) { s.add(journal.StdoutFile, strings.Join(lines, "\n")+"\n") }

func (s *scene) play() {
	s.say("init:", agent.Setup, `{"id":"init:","type":"get_state"}`)
	s.hear(`{"id":"init:","type":"response","command":"get_state","success":true,"data":{"sessionId":"s1","sessionFile":"/s1.jsonl","model":{"id":"m","provider":"p"}}}`)
	s.say("prompt:first", agent.Prompt, `{"id":"prompt:first","type":"prompt","message":"fix it\nplease"}`)
	s.hear(`{"id":"prompt:first","type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}`,
		`{"type":"agent_start"}`,
		`{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"I will run it."}],"stopReason":"toolUse"}}`,
		`{"type":"tool_execution_start","toolCallId":"c1","toolName":"bash","args":{"command":"make\ntest"}}`)
	s.say("01ARZ3NDEKTSV4RRFFQ69G5FAW", agent.Steer, `{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAW","type":"prompt","message":"go left"}`)
	s.hear(`{"type":"tool_execution_end","toolCallId":"c1","toolName":"bash","result":{"content":[{"type":"text","text":"`+strings.Repeat(`line\n`, 12)+`\u001b[2Jend\n"}]},"isError":true}`,
		`not JSON at all`,
		`{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"All is well."}],"stopReason":"stop"}}`,
		`{"type":"agent_settled","aborted":false}`)
}

const transcript = `> fix it
> please

I will run it.

[bash] make test

> go left

    … 3 lines before
    line
    line
    line
    line
    line
    line
    line
    line
    line
    [2Jend
    (failed)

All is well.
`

func TestATranscriptTellsBothSides(t *testing.T) {
	s := newScene(t, "fix it\nplease")
	s.play()
	var out strings.Builder
	p := &Printer{To: &out}
	r, err := Open(s.home, s.launch, p.Ear())
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, r.Advance())
	require.Equal(t, transcript, out.String())
	require.Equal(t, "All is well.", r.State().FinalText())
}

// TestATranscriptIsTheSameHoweverTheFilesGrow: byte by byte, read after each.
func TestATranscriptIsTheSameHoweverTheFilesGrow(t *testing.T) {
	whole, grows := newScene(t, "fix it\nplease"), newScene(t, "fix it\nplease")
	whole.play()
	var out strings.Builder
	p := &Printer{To: &out}
	r, err := Open(grows.home, grows.launch, p.Ear())
	require.NoError(t, err)
	defer r.Close()
	said, err := os.ReadFile(whole.home.File(whole.launch.ID, journal.SaidFile))
	require.NoError(t, err)
	log, err := os.ReadFile(whole.home.File(whole.launch.ID, journal.SaidLogFile))
	require.NoError(t, err)
	stream, err := os.ReadFile(whole.home.File(whole.launch.ID, journal.StdoutFile))
	require.NoError(t, err)
	lists := strings.SplitAfter(string(said), "\n")
	grows.add(journal.SaidLogFile, string(log))
	for at := 0; at <= len(stream); at++ {
		for len(lists) > 1 {
			var m journal.Said
			require.NoError(t, json.Unmarshal([]byte(lists[0]), &m))
			if m.At != int64(at) {
				break
			}
			grows.add(journal.SaidFile, lists[0])
			lists = lists[1:]
		}
		if at < len(stream) {
			grows.add(journal.StdoutFile, string(stream[at:at+1]))
		}
		require.NoError(t, r.Advance())
	}
	require.Equal(t, transcript, out.String())
}

func TestProgressIsALineForEachThing(t *testing.T) {
	s := newScene(t, "fix it")
	s.play()
	var out strings.Builder
	p := &Printer{To: &out, Brief: true}
	r, err := Open(s.home, s.launch, p.Ear())
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, r.Advance())
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2)
	require.Equal(t, "[bash] make test", lines[0])
	require.Regexp(t, "^failed: line", lines[1])
}

// TestRecordedStreamsCanBeShown: whatever the real agents wrote.
func TestRecordedStreamsCanBeShown(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/streams/*/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if strings.HasSuffix(file, ".in.jsonl") {
			continue
		}
		runtime, _, _ := strings.Cut(filepath.Base(filepath.Dir(file)), "-")
		stream, err := os.ReadFile(file)
		require.NoError(t, err)
		s := newScene(t, "x")
		s.launch.Program.Runtime = runtime
		s.add(journal.StdoutFile, string(stream))
		p := &Printer{To: &strings.Builder{}}
		r, err := Open(s.home, s.launch, p.Ear())
		require.NoError(t, err, file)
		require.NoError(t, r.Advance(), file)
		require.Equal(t, int64(strings.LastIndexByte(string(stream), '\n')+1), r.fold.Heard, file)
		r.Close()
	}
}

func TestWordsAreFoundInEveryProtocol(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":"k","type":"prompt","message":"go left"}`:                                                                                       "go left",
		`{"type":"user","message":{"role":"user","content":"go left"},"session_id":""}`:                                                        "go left",
		`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"go left"}]}}`:                                               "go left",
		`{"id":"k","method":"turn/steer","params":{"threadId":"t","input":[{"type":"text","text":"go left"}]}}`:                                "go left",
		`{"jsonrpc":"2.0","id":"k","method":"session/prompt","params":{"prompt":[{"type":"text","text":"go"},{"type":"text","text":"left"}]}}`: "go\nleft",
		`{"id":"k","type":"abort"}`: "",
	} {
		require.Equal(t, want, wordsIn([]byte(line)), line)
	}
}
