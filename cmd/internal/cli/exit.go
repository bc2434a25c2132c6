package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Exit codes, the same for both commands.
const (
	OK          = 0
	RunFailed   = 1   // the run failed or was stopped, or the command could not do its work
	Usage       = 2   // bad input
	NotFound    = 3   // no such run or question, or not yours
	Refused     = 4   // stale or rejected by the supervisor
	Unproven    = 5   // something of the run may still be there
	TimedOut    = 124 // a wait with --timeout ended first
	Interrupted = 130 // Ctrl-C ended the waiting, never the run
)

// ExitCodes documents them in --help.
const ExitCodes = `Exit codes: 0 ok · 1 the run failed · 2 usage · 3 not found or not yours ·
4 stale or refused · 5 unproven · 124 wait timed out · 130 wait interrupted`

// Error is a failure with its exit code and, for people, what to try.
type Error struct {
	Code int
	Msg  string
	Try  string
}

func (e *Error) Error() string { return e.Msg }

// Fail makes an Error.
func Fail(code int, format string, args ...any) *Error {
	return &Error{Code: code, Msg: fmt.Sprintf(format, args...)}
}

// WithTry adds the hint.
func (e *Error) WithTry(format string, args ...any) *Error {
	e.Try = fmt.Sprintf(format, args...)
	return e
}

// Report prints err as one clear line, with a second one for the hint, and
// returns the exit code. A nil error is OK.
func Report(err error) int {
	if err == nil {
		return OK
	}
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: codeOf(err), Msg: err.Error()}
	}
	if e.Msg != "" {
		fmt.Fprintln(os.Stderr, "Error: "+oneLine(e.Msg))
	}
	if e.Try != "" {
		fmt.Fprintln(os.Stderr, "Try: "+e.Try)
	}
	return e.Code
}

// codeOf sorts errors that nobody gave a code.
func codeOf(err error) int {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NotFound
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, fs.ErrPermission):
		return RunFailed
	}
	return RunFailed
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.TrimSpace(s)), " ")
}

// Worst reports all failures but the last and returns the last with the
// highest exit code of all.
func Worst(failures []*Error) error {
	if len(failures) == 0 {
		return nil
	}
	last := *failures[len(failures)-1]
	for _, f := range failures[:len(failures)-1] {
		last.Code = max(last.Code, Report(f))
	}
	return &last
}
