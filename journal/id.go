package journal

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/oklog/ulid/v2"
)

// NewID returns a fresh ULID: 26 characters that sort by creation time
// (milliseconds) and carry 80 random bits, so that two askers never collide.
func NewID(now time.Time) string {
	return ulid.MustNew(ulid.Timestamp(now), random{}).String()
}

// random is the generator that every process has, seeded by the kernel. An id
// has to be unique and is no secret; the first use of crypto/rand takes longer
// than all else that is done about an id.
type random struct{}

func (random) Read(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		rest = rest[copy(rest, binary.LittleEndian.AppendUint64(nil, rand.Uint64())):]
	}
	return len(b), nil
}

// NewIDs returns n fresh ids of the same time, in order.
func NewIDs(now time.Time, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = NewID(now)
	}
	slices.Sort(ids)
	return ids
}

// ValidID reports whether s is a run or command id in its canonical spelling.
// Only such names are ever joined into a path.
func ValidID(s string) bool {
	_, err := ulid.ParseStrict(s)
	return err == nil && strings.IndexFunc(s, unicode.IsLower) < 0
}

// idLength is that of every id.
const idLength = ulid.EncodedSize

// IDTime returns the creation time inside a valid id.
func IDTime(s string) (time.Time, error) {
	id, err := ulid.ParseStrict(s)
	if err != nil {
		return time.Time{}, fmt.Errorf("id %q: %w", s, err)
	}
	return ulid.Time(id.Time()), nil
}
