package settings

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Origin is the layer that a value comes from, and its file, which defaults
// do not have.
type Origin struct {
	Layer string `json:"layer"`
	Path  string `json:"path,omitempty"`
}

func (o Origin) String() string {
	if o.Path == "" {
		return o.Layer
	}
	return o.Path
}

// Setting is one setting with the value that is in force.
type Setting struct {
	Key
	Value
	Origin Origin
}

// Settings are all settings in force, in the order of Keys, and what had to be
// left out of them, one line each.
type Settings struct {
	All      []Setting
	Warnings []string
}

// Load reads the settings for a call in cwd: each layer's file once, if it is
// there. It never fails; what cannot be used is in the Warnings.
func Load(getenv func(string) string, cwd string) *Settings {
	return merge(read(Files(getenv, cwd)))
}

// Concurrency is how many agent runs may be at work at once. It is a matter
// of the whole home, so no project has a say in it.
func Concurrency(getenv func(string) string) (n int, warnings []string) {
	s := merge(read(ownFiles(getenv)))
	return s.Concurrency(), s.Warnings
}

// Get returns the setting of that name, or the zero Setting.
func (s *Settings) Get(name string) Setting {
	for i := range s.All {
		if s.All[i].Name == name {
			return s.All[i]
		}
	}
	return Setting{}
}

// Concurrency is how many agent runs may be at work at once.
func (s *Settings) Concurrency() int { return int(s.Get(KeyConcurrency).Number) }

// VerifyMS is the time limit of each verification command, in milliseconds.
func (s *Settings) VerifyMS() int64 { return int64(s.Get(KeyVerify).Number) }

// Runtime is the runtime that is meant where nobody names one; its Text is ""
// where none is set.
func (s *Settings) Runtime() Setting { return s.Get(KeyRuntime) }

// Tree is the settings in the shape of a file: sections within an object, in
// order. Settings without a value are left out. section "" is all of them.
func (s *Settings) Tree(section string) json.RawMessage {
	var all []member
	for _, x := range s.All {
		name, inside := x.Name, true
		if section != "" {
			name, inside = strings.CutPrefix(x.Name, section+".")
		}
		if inside && !x.None() {
			all = put(all, name, x.JSON(x.Value))
		}
	}
	return object(all)
}

// Versioned is the Tree of all settings with the version of its shape, which a
// file may have as well.
func (s *Settings) Versioned(version int) json.RawMessage {
	all := append([]member{{"version", json.RawMessage(strconv.Itoa(version))}}, inside(s.Tree(""))...)
	return object(all)
}

// Below returns the settings of a section, the one of that name, or all where
// name is "".
func (s *Settings) Below(name string) []Setting {
	var some []Setting
	for _, x := range s.All {
		if name == "" || x.Name == name || strings.HasPrefix(x.Name, name+".") {
			some = append(some, x)
		}
	}
	return some
}
