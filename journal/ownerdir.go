package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
)

// Paths of what belongs to one owner.
func (h Home) Owners() string             { return filepath.Join(h.Dir, "owners") }
func (h Home) Owner(owner string) string  { return filepath.Join(h.Owners(), ownerName(owner)) }
func (h Home) Attachment(o string) string { return filepath.Join(h.Owner(o), "attachment.json") }
func (h Home) AttachmentLock(o string) string {
	return filepath.Join(h.Owner(o), "attachment.lock")
}

// Outstanding holds a mark for each run of the owner whose completion is not
// acknowledged; see package completion.
func (h Home) Outstanding(owner string) string { return filepath.Join(h.Owner(owner), "outstanding") }

// Names of directories have 255 bytes on every file system we know. One that
// would be longer keeps its beginning for people, and its hash.
const (
	maxOwnerName  = 200
	ownerNameHead = 100
)

// ownerName spells an owner as one path component: lower-case letters, digits,
// "-", "_" and inner dots as they are, every other byte as %xx. So no two
// owners share a name, whatever a file system makes of case and accents. In a
// shortened name "%" is followed by "-", which it is in no other.
func ownerName(owner string) string {
	var b strings.Builder
	for i := range len(owner) {
		c := owner[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteString(hex.EncodeToString([]byte{c}))
		}
	}
	name := b.String()
	if len(name) <= maxOwnerName && name != "" {
		return name
	}
	sum := sha256.Sum256([]byte(owner))
	return name[:min(len(name), ownerNameHead)] + "%-" + hex.EncodeToString(sum[:])
}
