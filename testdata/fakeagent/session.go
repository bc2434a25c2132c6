package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
)

// session is what an agent remembers, in a file under HOME that outlives it.
type session struct {
	mu    sync.Mutex
	id    string
	users []string
}

func sessionFile(id string) string {
	return filepath.Join(os.Getenv("HOME"), ".fakeagent", id+".json")
}

// openSession begins or goes on. False: there is none to go on with.
func openSession(id string, goOn bool) (*session, bool) {
	s := &session{id: id}
	if !goOn {
		s.save()
		return s, true
	}
	b, err := os.ReadFile(sessionFile(id))
	if err != nil || json.Unmarshal(b, &s.users) != nil {
		return s, false
	}
	return s, true
}

// fork is a new session with the same past.
func (s *session) fork(id string) *session {
	f := &session{id: id, users: append([]string{}, s.users...)}
	f.save()
	return f
}

func (s *session) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users = append(s.users, text)
	s.save()
}

func (s *session) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.users)
}

func (s *session) save() {
	b, err := json.Marshal(s.users)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	os.MkdirAll(filepath.Dir(sessionFile(s.id)), 0o700)
	if err := os.WriteFile(sessionFile(s.id), b, 0o600); err != nil {
		os.Stderr.WriteString("fakeagent: " + err.Error() + "\n")
	}
}
