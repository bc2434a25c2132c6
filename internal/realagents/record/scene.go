package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/agent-runs/agent-runs/internal/modelserver"
	"github.com/agent-runs/agent-runs/internal/realagents"
)

// scene is one case: a server, a home, a project folder and the process that was started last. Its first error stays
// and makes the rest of the case do nothing, so that a case reads as a list of what is said.
type scene struct {
	agent, version string
	program        string
	dir, cwd       string
	env            []string
	server         *modelserver.Server
	last           *talk
	err            error
}

func newScene(agent string) (*scene, error) {
	program, err := realagents.Native(agent)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "record-")
	if err != nil {
		return nil, err
	}
	s := &scene{agent: agent, program: program, dir: dir, cwd: filepath.Join(dir, "project"), last: &talk{}}
	if err := os.Mkdir(s.cwd, 0o700); err != nil {
		return nil, err
	}
	if s.server, err = modelserver.Start(); err != nil {
		return nil, err
	}
	if s.env, err = realagents.Setup(dir, s.server.URL(), agent); err != nil {
		return nil, err
	}
	s.version, err = realagents.Version(agent, s.env)
	return s, err
}

// start begins a process of the agent; what was said before is forgotten.
func (s *scene) start(args ...string) *talk {
	if s.err != nil {
		return s.last
	}
	s.last, s.err = begin(s, args)
	return s.last
}

// fail keeps the first error.
func (s *scene) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

func (s *scene) end() {
	s.last.end()
	if err := s.server.Close(); err != nil {
		s.fail("close the server: %w", err)
	}
	// What a tool left running may still write there.
	_ = os.RemoveAll(s.dir)
}
