package claude

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/oklog/ulid/v2"
)

// sessionID is the name that a run's session gets: the run's own id. A ULID
// and a version 7 UUID begin with the same 48 bits of time; of the rest six
// bits give way to the version and the variant.
func sessionID(run string) string {
	id, err := ulid.ParseStrict(run)
	if err != nil {
		return messageID(run, "session") // not of our making, and still always the same
	}
	return format([16]byte(id), 7)
}

// messageID is the name of a message, by its key in the run.
func messageID(run, key string) string {
	sum := sha256.Sum256([]byte(run + "\x00" + key))
	return format([16]byte(sum[:16]), 8)
}

func format(b [16]byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
