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
// listing the reading of ten thousand directories. As a list of runs it is
// believed only while the modification time of runs/ is the one it was taken
// at, so every run made or removed since, by whomever, is noticed. What it
// says of one run never changes, and is believed within one boot: the cache
// is not synced, and a power cut may leave any of it.
//
// Form: one header line, then a line a run sorted by id, newest last.
const (
	indexFile   = "index.cache"
	indexHeader = "agent-runs index 3"
	// indexSettle is how much older than the scan the directory's time must
	// be: file systems stamp with the granularity of the kernel's tick.
	indexSettle = 100 * time.Millisecond
	indexLearn  = 16 // so many newly known runs are worth a new cache
)

// Entry is what the index knows of one run. Owner is empty for a run that was
// not looked at yet, Status for one that was not over then.
type Entry struct {
	ID, Owner, Name, Status string
	Part                    bool // of another run; false for one that was not looked at yet
}

// partMark ends the line of a part of another run.
const partMark = "part"

// Index lists all runs.
type Index struct {
	home    Home
	epoch   string
	stamp   int64    // modification time of runs/ in ns; 0: too young to be stored
	file    *os.File // the cache of this boot, if there is one
	body    int64    // where its entries begin
	scanned bool     // runs/ changed since: ids is the list
	ids     []string // oldest first
	learned map[string]Entry
}

// OpenIndex returns the list of all runs, from the cache where it is valid.
// epoch is the boot id.
func OpenIndex(h Home, epoch string) (*Index, error) {
	x := &Index{home: h, epoch: epoch, learned: map[string]Entry{}}
	before, err := os.Stat(h.Runs())
	if os.IsNotExist(err) {
		return x, nil
	}
	if err != nil {
		return nil, err
	}
	x.stamp = before.ModTime().UnixNano()
	if x.openCache() {
		return x, nil
	}
	x.scanned = true
	if x.ids, err = RunIDs(h); err != nil {
		x.Close()
		return nil, err
	}
	slices.Sort(x.ids)
	after, err := os.Stat(h.Runs())
	if err != nil || !after.ModTime().Equal(before.ModTime()) || time.Since(after.ModTime()) < indexSettle {
		x.stamp = 0
	}
	return x, nil
}

// openCache opens the cache and reports whether its list is the one of now.
func (x *Index) openCache() bool {
	f, err := os.Open(filepath.Join(x.home.Dir, indexFile))
	if err != nil {
		return false
	}
	head := make([]byte, len(x.header())+32)
	n, _ := f.ReadAt(head, 0)
	line, _, ok := bytes.Cut(head[:n], []byte{'\n'})
	if !ok || !bytes.HasPrefix(line, []byte(x.boot())) {
		f.Close()
		return false
	}
	x.file, x.body = f, int64(len(line)+1)
	return string(line)+"\n" == x.header()
}

// Close releases the cache file.
func (x *Index) Close() {
	if x.file != nil {
		x.file.Close()
	}
}

func (x *Index) boot() string { return indexHeader + " " + x.epoch + " " }

func (x *Index) header() string { return x.boot() + strconv.FormatInt(x.stamp, 10) + "\n" }

// Newest yields all runs, newest first, reading no more than is asked for.
func (x *Index) Newest() iter.Seq[Entry] {
	if x.scanned {
		return x.merged
	}
	return func(yield func(Entry) bool) {
		for cached := x.backward(); cached.next(); {
			if e, ok := parseEntry(cached.line); ok && !yield(x.latest(e)) {
				return
			}
		}
	}
}

// merged yields the runs there are, with what the old cache knew of them.
func (x *Index) merged(yield func(Entry) bool) {
	cached := x.backward()
	more := cached.next()
	for _, id := range slices.Backward(x.ids) {
		for more && cached.line > id && !strings.HasPrefix(cached.line, id) {
			more = cached.next()
		}
		e := Entry{ID: id}
		if more && strings.HasPrefix(cached.line, id) {
			if known, ok := parseEntry(cached.line); ok {
				e = known
			}
		}
		if !yield(x.latest(e)) {
			return
		}
	}
}

func (x *Index) latest(e Entry) Entry {
	if l, ok := x.learned[e.ID]; ok {
		return l
	}
	return e
}

// Complete adds owner and name to an entry that lacks them, if they can be
// read.
func (x *Index) Complete(e Entry) Entry {
	var l Launch
	if e.Owner == "" && Read(x.home.File(e.ID, LaunchFile), &l) == nil {
		e.Owner, e.Name, e.Part = l.Owner, l.Name, l.PartOf != ""
		x.Learn(e)
	}
	return e
}

// Learn remembers an entry for the next Store.
func (x *Index) Learn(e Entry) { x.learned[e.ID] = e }

// Store writes the cache if it is worth it. It is not synced, and its errors
// are nobody's concern: without it the next listing scans again.
func (x *Index) Store() {
	if x.stamp == 0 || !x.scanned && len(x.learned) < indexLearn {
		return
	}
	var old []byte
	if x.file != nil {
		old, _ = readRest(x.file, x.body)
	}
	b := make([]byte, 0, len(old)+len(x.header())+64*(len(x.learned)+16))
	b = append(b, x.header()...)
	if x.scanned {
		b = x.renewed(b, old)
	} else {
		for line := range bytes.Lines(old) {
			b = x.appendLine(b, line)
		}
	}
	tmp := filepath.Join(x.home.Dir, tmpPrefix+indexFile+"-"+strconv.Itoa(os.Getpid()))
	if os.WriteFile(tmp, b, 0o600) == nil {
		os.Rename(tmp, filepath.Join(x.home.Dir, indexFile))
	}
}

// renewed appends a line for every run there is, the old one where it is
// known.
func (x *Index) renewed(b, old []byte) []byte {
	for _, id := range x.ids {
		for len(old) > 0 && !bytes.HasPrefix(old, []byte(id)) && string(old[:min(len(old), len(id))]) < id {
			_, old, _ = bytes.Cut(old, []byte{'\n'})
		}
		line := []byte(id + "\t\"\"\t\"\"\t\t\n")
		if bytes.HasPrefix(old, []byte(id)) {
			end := bytes.IndexByte(old, '\n') + 1
			line, old = old[:end], old[end:]
		}
		b = x.appendLine(b, line)
	}
	return b
}

// appendLine appends a line, or what was learned about its run since.
func (x *Index) appendLine(b, line []byte) []byte {
	e, ok := x.learned[string(line[:min(len(line), idLength)])]
	if !ok {
		return append(b, line...)
	}
	b = append(append(b, e.ID...), '\t')
	b = append(strconv.AppendQuote(b, e.Owner), '\t')
	b = append(strconv.AppendQuote(b, e.Name), '\t')
	b = append(append(b, e.Status...), '\t')
	if e.Part {
		b = append(b, partMark...)
	}
	return append(b, '\n')
}

func parseEntry(line string) (Entry, bool) {
	f := strings.Split(line, "\t")
	if len(f) != 5 || !ValidID(f[0]) {
		return Entry{}, false
	}
	owner, err1 := strconv.Unquote(f[1])
	name, err2 := strconv.Unquote(f[2])
	return Entry{f[0], owner, name, f[3], f[4] == partMark}, err1 == nil && err2 == nil
}
