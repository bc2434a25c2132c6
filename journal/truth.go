package journal

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// WriteExit and WriteResult are WriteOnce for those who saw the end with their
// own eyes: what is in the record's place and cannot be read is set aside, and
// the truth is written. Without them bytes that anybody could have left there
// would cost the run its end.
func WriteExit(h Home, e *Exit) error {
	return writeTruth(h.File(e.ID, ExitFile), e, exitID)
}

// WriteResult is described with WriteExit.
func WriteResult(h Home, r *Result) error {
	return writeTruth(h.File(r.ID, ResultFile), r, resultID)
}

func writeTruth[T any](path string, record *T, id func(*T) string) error {
	err := WriteOnce(path, record)
	if !errors.Is(err, ErrExists) {
		return err
	}
	if moved, e := setAside(path, id(record), id); e != nil || !moved {
		return errors.Join(e, err)
	}
	return WriteOnce(path, record)
}

// SetExitAside makes room for the exit record of a run where something lies
// that is none. It keeps that under a name no reader matches. False: what is
// there is a record, or nothing is.
func SetExitAside(h Home, id string) (bool, error) {
	return setAside(h.File(id, ExitFile), id, exitID)
}

func setAside[T any](path, run string, id func(*T) string) (bool, error) {
	if _, err := readOf(path, run, id); !IsDamaged(err) {
		return false, nil
	}
	if err := os.Rename(path, path+".damaged-"+NewID(time.Now())); err != nil {
		return false, fmt.Errorf("set aside what is no record: %w", err)
	}
	return true, nil
}
