package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Damage names a record that is there but cannot be used.
type Damage struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// Records is everything that is written about one run. A nil record is
// absent or damaged; Damaged tells which.
type Records struct {
	ID        string
	Commanded bool    // the run command is still in the command directory
	Launch    *Launch // as it is really started: with its inputs in place
	Inputs    *Inputs
	Admission *Admission
	Process   *Process
	Stop      *Stop
	Exit      *Exit
	Result    *Result
	Damaged   []Damage
}

// LoadRun reads all records of one run. The error is fs.ErrNotExist where the
// run has no directory; damage never is an error but part of the answer.
func LoadRun(h Home, id string) (Records, error) {
	r := Records{ID: id}
	if info, err := os.Lstat(h.Run(id)); err != nil {
		return r, err
	} else if !info.IsDir() {
		return r, &DamagedError{h.Run(id), "it is not a directory"}
	}
	if r.Launch = load(&r, h.File(id, LaunchFile), func(l *Launch) string { return l.ID }); r.Launch != nil && len(r.Launch.Needs) > 0 {
		r.Inputs = load(&r, h.File(id, InputsFile), func(i *Inputs) string { return i.ID })
		r.Launch.take(r.Inputs)
	}
	r.Result = load(&r, h.File(id, ResultFile), resultID)
	r.Exit = load(&r, h.File(id, ExitFile), exitID)
	r.Process = load(&r, h.File(id, ProcessFile), func(l *Process) string { return l.ID })
	r.Stop = load(&r, h.File(id, StopFile), func(l *Stop) string { return l.ID })
	if r.Result == nil && (r.Process == nil || r.Damages(ResultFile)) {
		r.command(h)
	}
	// Removed while it was read: what is missing would look like something else.
	if _, err := os.Lstat(h.Run(id)); err != nil {
		return Records{ID: id}, err
	}
	return r, nil
}

// command loads the answer to the run's command: its own, or its plan's.
func (r *Records) command(h Home) {
	id := r.ID
	if r.Launch != nil && r.Launch.PlanID != "" {
		id = r.Launch.PlanID
	}
	_, err := os.Lstat(h.Command(id))
	r.Commanded = err == nil
	r.Admission, err = readOf(h.Admission(id), id, func(l *Admission) string { return l.ID })
	if err != nil {
		r.Admission = nil
		if !errors.Is(err, ErrMissing) {
			r.Damaged = append(r.Damaged, Damage{filepath.Base(h.Admission(id)), err.Error()})
		}
	}
}

// ReadLaunch reads what a run is started with: its launch record with its
// inputs in place. Its errors are those of Read.
func ReadLaunch(h Home, id string) (*Launch, error) {
	l, err := readOf(h.File(id, LaunchFile), id, func(l *Launch) string { return l.ID })
	if err != nil || len(l.Needs) == 0 {
		return l, err
	}
	i, err := readOf(h.File(id, InputsFile), id, func(i *Inputs) string { return i.ID })
	if errors.Is(err, ErrMissing) {
		return l, nil
	}
	l.take(i)
	return l, err
}

// take puts the inputs in place.
func (l *Launch) take(i *Inputs) {
	if i == nil {
		return
	}
	if i.Prompt != nil && l.Agent != nil {
		l.Agent.Prompt = *i.Prompt
	}
	if i.Argv != nil {
		l.Program.Argv = i.Argv
	}
}

func load[T any](r *Records, path string, id func(*T) string) *T {
	v, err := readOf(path, r.ID, id)
	switch {
	case err == nil:
		return v
	case !errors.Is(err, ErrMissing):
		r.Damaged = append(r.Damaged, Damage{filepath.Base(path), err.Error()})
	}
	return nil
}

// readOf is Read for the record of one run: under another's id it is damaged.
func readOf[T any](path, run string, id func(*T) string) (*T, error) {
	v := new(T)
	err := Read(path, v)
	if err == nil && id(v) != run {
		err = &DamagedError{path, "it bears the id " + id(v)}
	}
	return v, err
}

// ReadExit and ReadResult read the records of a run's end. Their errors are
// those of Read.
func ReadExit(h Home, id string) (*Exit, error) {
	return readOf(h.File(id, ExitFile), id, exitID)
}

// ReadResult is described with ReadExit.
func ReadResult(h Home, id string) (*Result, error) {
	return readOf(h.File(id, ResultFile), id, resultID)
}

func exitID(e *Exit) string     { return e.ID }
func resultID(r *Result) string { return r.ID }

// Damages reports whether the record in file is there and cannot be used.
func (r Records) Damages(file string) bool {
	for _, d := range r.Damaged {
		if d.File == file {
			return true
		}
	}
	return false
}

// Terminal reports whether a verdict is there, readable or not. One that
// cannot be read is none while somebody is at work on the run.
func (r Records) Terminal() bool { return r.Result != nil || r.Damages(ResultFile) }

// RunIDs lists the ids of all run directories, in no order. One unreadable
// name never hides the others.
func RunIDs(h Home) ([]string, error) {
	d, err := os.Open(h.Runs())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	ids := names[:0]
	for _, n := range names {
		if !strings.HasPrefix(n, ".") && ValidID(n) {
			ids = append(ids, n)
		}
	}
	return ids, err
}
