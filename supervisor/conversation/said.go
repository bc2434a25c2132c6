package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// saidLog is what was said to the agent. One writer: the supervisor.
type saidLog struct {
	bytes, list *os.File
	end         int64 // of what is listed, in bytes
	listEnd     int64 // of whole lines in the list
}

// ReadSaid returns the messages that are listed.
func ReadSaid(path string) ([]journal.Said, error) {
	said, _, err := readSaid(path)
	return said, err
}

// readSaid also returns where the last whole line ends. What follows was torn
// by a kill, and its message was not sent.
func readSaid(path string) (said []journal.Said, end int64, err error) {
	body, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for line := range bytes.Lines(body) {
		var s journal.Said
		if !bytes.HasSuffix(line, []byte{'\n'}) || json.Unmarshal(line, &s) != nil {
			return said, end, nil
		}
		said, end = append(said, s), end+int64(len(line))
	}
	return said, end, nil
}

// openSaid opens both files for more. What was begun and not listed is cut off.
func openSaid(h journal.Home, id string) (*saidLog, []journal.Said, error) {
	said, listEnd, err := readSaid(h.File(id, journal.SaidFile))
	if err != nil {
		return nil, nil, err
	}
	l := &saidLog{listEnd: listEnd}
	if n := len(said); n > 0 {
		l.end = said[n-1].End
	}
	if l.list, err = openFor(h.File(id, journal.SaidFile), l.listEnd); err != nil {
		return nil, nil, err
	}
	if l.bytes, err = openFor(h.File(id, journal.SaidLogFile), l.end); err != nil {
		l.list.Close()
		return nil, nil, err
	}
	return l, said, nil
}

func openFor(path string, end int64) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > end {
		err = f.Truncate(end)
		if err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// add writes a message down. After an error nothing of it counts.
func (l *saidLog) add(m agent.Message, heard int64, now time.Time) (journal.Said, error) {
	s := journal.Said{Key: m.Key, Kind: string(m.Kind), At: heard, Time: now.UTC(), Question: m.Question, Answer: m.Answer, End: l.end + int64(len(m.Line)) + 1}
	line, err := json.Marshal(s)
	if err != nil {
		return s, fmt.Errorf("encode a message: %w", err)
	}
	if _, err := l.bytes.WriteAt(append(bytes.Clone(m.Line), '\n'), l.end); err != nil {
		return s, err
	}
	failpoint.Hit("said/written")
	if _, err := l.list.WriteAt(append(line, '\n'), l.listEnd); err != nil {
		l.list.Truncate(l.listEnd) // a whole line without its newline would count once the next is there
		return s, err
	}
	failpoint.Hit("said/listed")
	l.end, l.listEnd = s.End, l.listEnd+int64(len(line))+1
	return s, nil
}

func (l *saidLog) close() {
	l.bytes.Close()
	l.list.Close()
}
