package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// longestName is the most bytes of a name from FileName: file systems allow 255 bytes, and suffixes need some.
const longestName = 180

// FileName turns any name into a file name. Different names get different file names even where case does not count, and
// lower-case names stay as they are. A name that would be too long ends in its hash.
func FileName(name string) string {
	var b strings.Builder
	for i, c := range []byte(name) {
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' && i > 0
		if plain {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02x", c)
	}
	if b.Len() <= longestName {
		return b.String()
	}
	sum := sha256.Sum256([]byte(name))
	return b.String()[:longestName-64] + "~" + hex.EncodeToString(sum[:])
}

// FileName returns the name of the manifest in stores that have files or objects. Names sort by offset.
func (p Position) FileName() string {
	return fmt.Sprintf("%020d-%x-%d", p.Offset, p.JournalTopic, p.LeaderEpoch)
}

// ParseFileName reads what FileName wrote. It returns false for all other names.
func ParseFileName(name string) (Position, bool) {
	parts := strings.SplitN(name, "-", 3)
	if len(parts) != 3 {
		return Position{}, false
	}
	var p Position
	offset, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return p, false
	}
	topic, err := hex.DecodeString(parts[1])
	if err != nil || len(topic) != len(p.JournalTopic) {
		return p, false
	}
	epoch, err := strconv.ParseInt(parts[2], 10, 32)
	if err != nil {
		return p, false
	}
	p.Offset, p.LeaderEpoch = offset, int32(epoch)
	copy(p.JournalTopic[:], topic)
	return p, p.FileName() == name
}
