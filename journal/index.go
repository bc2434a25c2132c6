package journal

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The index is a cache, never truth: deleting it loses nothing. It spares a
// listing the reading of ten thousand directories. It is believed only while
// the modification time of runs/ is the one it was taken at, so every run
// made or removed since, by whomever, is noticed; and only within one boot,
// because it is not synced and a power cut may leave any of it.
//
// Form: one header line, then a line a run sorted by id, newest last.
const (
	indexFile   = "index.cache"
	indexHeader = "agent-runs index 1"
	// indexSettle is how much older than the scan the directory's time must
	// be: file systems stamp with the granularity of the kernel's tick.
	indexSettle = 100 * time.Millisecond
	indexChunk  = 32 << 10
	indexLearn  = 16 // so many newly known statuses are worth a new cache
)

// Entry is what the index knows of one run. Status is empty for a run that
// was not terminal when the index was taken. Owner and name never change.
type Entry struct {
	ID, Owner, Name, Status string
}

// Index lists all runs.
type Index struct {
	home    Home
	epoch   string
	stamp   int64 // modification time of runs/ in ns; 0: too young to be stored
	scanned bool  // entries come from a scan, not from the cache
	entries []Entry
	body    *os.File // the cache, where entries were not needed as a whole
	learned map[string]string
}

// OpenIndex returns the list of all runs, from the cache where it is valid.
// epoch is the boot id.
func OpenIndex(h Home, epoch string) (*Index, error) {
	x := &Index{home: h, epoch: epoch, learned: map[string]string{}}
	before, err := os.Stat(h.Runs())
	if os.IsNotExist(err) {
		return x, nil
	}
	if err != nil {
		return nil, err
	}
	x.stamp = before.ModTime().UnixNano()
	if f, err := os.Open(filepath.Join(h.Dir, indexFile)); err == nil {
		head := make([]byte, len(x.header()))
		if _, err := f.ReadAt(head, 0); err == nil && string(head) == x.header() {
			x.body = f
			return x, nil
		}
		f.Close()
	}
	return x, x.scan(before)
}

// Close releases the cache file.
func (x *Index) Close() {
	if x.body != nil {
		x.body.Close()
	}
}

func (x *Index) header() string {
	return indexHeader + " " + x.epoch + " " + strconv.FormatInt(x.stamp, 10) + "\n"
}

func (x *Index) scan(before os.FileInfo) error {
	ids, err := RunIDs(x.home)
	if err != nil {
		return err
	}
	slices.Sort(ids)
	known := readOldIndex(x.home)
	x.scanned, x.entries = true, make([]Entry, len(ids))
	for i, id := range ids {
		if e, ok := known[id]; ok {
			x.entries[i] = e
			continue
		}
		x.entries[i] = Entry{ID: id}
		var l Launch
		if Read(x.home.File(id, LaunchFile), &l) == nil {
			x.entries[i].Owner, x.entries[i].Name = l.Owner, l.Name
		}
	}
	after, err := os.Stat(x.home.Runs())
	if err != nil || !after.ModTime().Equal(before.ModTime()) || time.Since(after.ModTime()) < indexSettle {
		x.stamp = 0
	}
	return nil
}

// Newest yields all runs, newest first, reading no more than is asked for.
func (x *Index) Newest() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		if x.body == nil {
			for _, e := range slices.Backward(x.entries) {
				if !yield(e) {
					return
				}
			}
			return
		}
		for line := range linesBackward(x.body, int64(len(x.header()))) {
			if e, ok := parseEntry(line); ok && !yield(e) {
				return
			}
		}
	}
}

// linesBackward yields the lines of f behind start, last first.
func linesBackward(f *os.File, start int64) iter.Seq[string] {
	return func(yield func(string) bool) {
		info, err := f.Stat()
		if err != nil {
			return
		}
		end, tail := info.Size(), []byte(nil)
		for end > start {
			at := max(start, end-indexChunk)
			chunk := make([]byte, end-at, end-at+int64(len(tail)))
			if _, err := f.ReadAt(chunk, at); err != nil {
				return
			}
			chunk, end = append(chunk, tail...), at
			for {
				i := bytes.LastIndexByte(chunk[:max(0, len(chunk)-1)], '\n')
				if i < 0 {
					break
				}
				if !yield(string(chunk[i+1:])) {
					return
				}
				chunk = chunk[:i+1]
			}
			tail = chunk
		}
		if len(tail) > 0 {
			yield(string(tail))
		}
	}
}

// Learn remembers a terminal status for the next Store.
func (x *Index) Learn(id, status string) { x.learned[id] = status }

// Store writes the cache if it is worth it. It is not synced, and its errors
// are nobody's concern: without it the next listing scans again.
func (x *Index) Store() {
	if x.stamp == 0 || !x.scanned && len(x.learned) < indexLearn {
		return
	}
	entries := x.entries
	if x.body != nil {
		entries = slices.Collect(x.Newest())
		slices.Reverse(entries)
	}
	var b bytes.Buffer
	b.WriteString(x.header())
	for _, e := range entries {
		if s, ok := x.learned[e.ID]; ok {
			e.Status = s
		}
		b.WriteString(e.ID + "\t" + strconv.Quote(e.Owner) + "\t" + strconv.Quote(e.Name) + "\t" + e.Status + "\n")
	}
	tmp := filepath.Join(x.home.Dir, tmpPrefix+indexFile+"-"+strconv.Itoa(os.Getpid()))
	if os.WriteFile(tmp, b.Bytes(), 0o600) == nil {
		os.Rename(tmp, filepath.Join(x.home.Dir, indexFile))
	}
}

// readOldIndex returns what an outdated cache knows. A line that does not
// parse is just not known.
func readOldIndex(h Home) map[string]Entry {
	known := map[string]Entry{}
	if f, err := os.Open(filepath.Join(h.Dir, indexFile)); err == nil {
		defer f.Close()
		for line := range linesBackward(f, 0) {
			if e, ok := parseEntry(line); ok {
				known[e.ID] = e
			}
		}
	}
	return known
}

func parseEntry(line string) (Entry, bool) {
	f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	if len(f) != 4 || !ValidID(f[0]) {
		return Entry{}, false
	}
	owner, err1 := strconv.Unquote(f[1])
	name, err2 := strconv.Unquote(f[2])
	return Entry{f[0], owner, name, f[3]}, err1 == nil && err2 == nil
}
