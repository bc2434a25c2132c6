package launch

import (
	"bytes"
	"errors"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
)

// What supervisor and shim say to each other is short lines with a record at
// their end; both are the same executable. It is not JSON as a whole because
// encoding/json would have to learn two more types, on the way of a launch.

// Words that begin a report.
const (
	wordError  = "error"
	wordFailed = "failed"
	wordRuns   = "runs"
)

var errMessage = errors.New("a message between supervisor and shim that is none")

func (a Assignment) encode() ([]byte, error) {
	return message(a.RunID, a.Admission, a.Admission == nil)
}

func decodeAssignment(body []byte) (*Assignment, error) {
	id, record, ok := strings.Cut(string(body), "\n")
	if !ok {
		return nil, errMessage
	}
	a := &Assignment{RunID: id}
	if record == "" {
		return a, nil
	}
	a.Admission = &journal.Admission{}
	return a, journal.Decode([]byte(record), a.Admission)
}

func (r Report) encode() ([]byte, error) {
	switch {
	case r.Error != "":
		return []byte(wordError + "\n" + r.Error), nil
	case r.Failed:
		return message(wordFailed, r.Process, r.Process == nil)
	default:
		return message(wordRuns, r.Process, r.Process == nil)
	}
}

func decodeReport(body []byte) (r Report, err error) {
	word, rest, ok := bytes.Cut(body, []byte("\n"))
	switch string(word) {
	case wordError:
		r.Error = string(rest)
		return r, nil
	case wordFailed:
		r.Failed = true
	case wordRuns:
	default:
		ok = false
	}
	if !ok {
		return r, errMessage
	}
	if len(rest) > 0 {
		r.Process = &journal.Process{}
		err = journal.Decode(rest, r.Process)
	}
	return r, err
}

// message is a line and, unless there is none, a record.
func message(line string, record any, none bool) ([]byte, error) {
	if none {
		return []byte(line + "\n"), nil
	}
	body, err := journal.Encode(record)
	return append([]byte(line+"\n"), body...), err
}
