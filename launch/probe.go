package launch

// Feature is something of the system that runs are built on.
type Feature struct {
	Name    string
	Err     error  // nil: it is there
	Use     string // what it is good for
	Without string // what follows from its absence
	// Needed says that without it runs cannot be what they promise; otherwise
	// something else takes its place.
	Needed bool
}
