package localdir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/unecho/unecho/index/snapshot"
)

const (
	segmentsDir  = "segments"
	manifestsDir = "manifests"
	leasesDir    = "leases"
	tmpDir       = "tmp"
	lockFile     = "lock"

	// longest is the most bytes of an escaped name: file systems allow 255 bytes, and suffixes need some.
	longest = 180
)

func (s *Store) segmentPath(name string) string {
	return filepath.Join(s.root, segmentsDir, name[:2], name)
}

func (s *Store) manifestPath(p snapshot.Position) string {
	return filepath.Join(s.root, manifestsDir, manifestName(p))
}

func (s *Store) leasePath(name string) string {
	return filepath.Join(s.root, leasesDir, escape(name)+".lock")
}

func manifestName(p snapshot.Position) string {
	return fmt.Sprintf("%020d-%x-%d", p.Offset, p.JournalTopic, p.LeaderEpoch)
}

// parseManifestName returns false for files that are not ours.
func parseManifestName(name string) (snapshot.Position, bool) {
	parts := strings.SplitN(name, "-", 3)
	if len(parts) != 3 {
		return snapshot.Position{}, false
	}
	var p snapshot.Position
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
	return p, manifestName(p) == name
}

// escape turns any name into a file name. Different names get different file names even where case does not count, and
// lower-case names stay as they are. A name that would be too long ends in its hash.
func escape(name string) string {
	var b strings.Builder
	for i, c := range []byte(name) {
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' && i > 0
		if plain {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02x", c)
	}
	if b.Len() <= longest {
		return b.String()
	}
	sum := sha256.Sum256([]byte(name))
	return b.String()[:longest-64] + "~" + hex.EncodeToString(sum[:])
}
