package settings

// Kind is what a setting's value is.
type Kind int

// Kinds of values. In a file Count and Dollars are numbers, the others strings.
const (
	Count   Kind = iota // a whole number
	Span                // a duration: 90s, 2h, 1d
	Size                // bytes: 500k, 10MB, 1GiB
	Dollars             // an amount
	Runtime             // the name of an agent runtime, which is as good as that of a program
)

// Key is one setting: what it is called, what it may be, and what it is where
// nobody says. Span counts in milliseconds, Size in bytes.
type Key struct {
	Name        string // section.name, or a name
	Kind        Kind
	Default     string // as written; "": no value
	Least, Most float64
	Doc         string
}

// Names of the keys that are not limits, and of the two sections that are.
const (
	KeyConcurrency = "concurrency"
	KeyRuntime     = "runtime"
	KeyVerify      = sectionVerify + ".duration"
	sectionLimits  = "limits"
	sectionCeiling = "ceilings"
	sectionVerify  = "verify"
)

// Bounds. Whole numbers up to mostCount are exact in every JSON reader.
const (
	mostTurns = 1<<31 - 1
	mostCount = 1<<53 - 1
	mostSpan  = 366 * 24 * 3600 * 1000 // span.Longest in milliseconds; a test compares them
	mostCost  = 1e9
	leastCost = 1e-6
)

// Keys returns all settings, in the order in which they are shown.
func Keys() []Key {
	keys := make([]Key, 0, 3+2*len(limits))
	keys = append(keys,
		Key{KeyConcurrency, Count, "4", 1, 10000, "how many agent runs are at work at once; the others wait"},
		Key{KeyRuntime, Runtime, "", 0, 0, "the agent that is meant where neither the call nor the calling agent says; never from a project's file"})
	for _, l := range limits {
		keys = append(keys, Key{sectionLimits + "." + l.name, l.kind, l.fallback, l.least, l.most, "an agent run's default: " + l.doc})
	}
	for _, l := range limits {
		keys = append(keys, Key{sectionCeiling + "." + l.name, l.kind, "", l.least, l.most, "what no call may exceed: " + l.doc})
	}
	return append(keys, Key{KeyVerify, Span, "10m", 1, mostSpan, "the time limit of each command that verifies a run"})
}

// Personal says why no project has a say in the setting, or "".
func (k Key) Personal() string {
	switch {
	case k.Kind == Runtime:
		return "a project's file never names a program"
	case k.Name == KeyConcurrency:
		return "it is a matter of the whole home, in which no project has a say"
	}
	return ""
}

// Names returns the names of all settings.
func Names() []string {
	keys := Keys()
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// Find returns the setting of that name.
func Find(name string) (Key, bool) {
	for _, k := range Keys() {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

// RuntimeNames are the runtimes a setting can name, besides "acp:CMD". A test
// in cmd/internal/agents holds them against those there are.
func RuntimeNames() []string { return []string{"pi", "claude", "codex", "gemini", "opencode"} }

// passedOver are names in a file that set nothing: what editors put there.
func passedOver(name string) bool { return name == "$schema" || name == "version" }
