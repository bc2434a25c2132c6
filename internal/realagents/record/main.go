// Command record drives the real agents through a few cases against the scripted model server and keeps what they
// wrote, line by line, as testdata/streams/AGENT-VERSION/CASE.jsonl, and what they were sent as CASE.in.jsonl.
//
//	go run ./internal/realagents/record [-case NAME] [AGENT ...]
//
// The decoders of launch/agent are tested on these files: record again when .ci/agents pins another version, and
// read the difference. A case that spans two processes (resume, fork) keeps the second one.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-runs/agent-runs/internal/realagents"
)

// scripts are the cases of each agent.
func scripts() map[string]map[string]func(*scene) {
	return map[string]map[string]func(*scene){
		realagents.Pi: piCases(), realagents.Claude: claudeCases(), realagents.Codex: codexCases(),
		realagents.Gemini: acpCases(geminiACP()), realagents.OpenCode: acpCases(openCodeACP()),
	}
}

func main() {
	only := flag.String("case", "", "record this case only")
	flag.Parse()
	agents := flag.Args()
	if len(agents) == 0 {
		agents = realagents.All()
	}
	failed := 0
	for _, agent := range agents {
		cases := scripts()[agent]
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			if *only != "" && *only != name {
				continue
			}
			if err := record(agent, name, cases[name]); err != nil {
				fmt.Printf("%s %s: %v\n", agent, name, err)
				failed++
			}
		}
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// record plays one case and writes its two files, also when it failed half-way: that is when one wants to read them.
func record(agent, name string, play func(*scene)) (err error) {
	s, err := newScene(agent)
	if err != nil {
		return err
	}
	play(s)
	s.end()
	root, err := realagents.Root()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "testdata", "streams", agent+"-"+s.version)
	if s.err != nil {
		dir = filepath.Join(os.TempDir(), "record-failed", agent+"-"+s.version)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	trim := newTrimmer(s.dir, s.cwd, root, s.server.URL())
	size := 0
	for suffix, lines := range map[string][]string{".in.jsonl": s.last.sent, ".jsonl": s.last.got} {
		b := trim.lines(lines)
		size += len(b)
		if err := os.WriteFile(filepath.Join(dir, name+suffix), b, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%s %s %s: %d lines, %d bytes, %s\n", agent, s.version, name, len(s.last.got), size, s.last.ended)
	return s.err
}
