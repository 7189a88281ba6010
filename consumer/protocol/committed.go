package protocol

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/unecho/unecho/index"
)

// Committed is an offset that the group has committed, with what the metadata says.
type Committed struct {
	Offset int64 // -1: none
	Ours   bool  // the metadata is ours
	Epoch  uint32
	Start  int64 // of the epoch
	New    bool  // nothing of the partition was ever committed in this group: only where it begins
	Owed   int64 // offsets below Offset whose documents were passed on unchecked, and are perhaps not recorded
	Tally  Tally // of a backfill
}

// NewCommitted reads a committed offset and its metadata.
func NewCommitted(offset int64, metadata string) Committed {
	c := Committed{Offset: offset}
	c.Epoch, c.Start, c.Ours = parse(metadata)
	c.New = c.Ours && strings.HasSuffix(metadata, newMark)
	c.Owed = unjournaled(offset, metadata)
	c.Tally = parseTally(metadata)
	return c
}

// Unused says that nothing was committed but the beginning of the first epoch: a takeover resumes it, also with a journal
// that has just been begun.
func (c *Committed) Unused() bool { return c.New && c.Epoch == 1 && c.Offset == c.Start }

// Lost says that less is committed than was forwarded in that epoch.
func (c *Committed) Lost(p index.Partition) bool {
	return c.Ours && c.Epoch == p.Epoch && c.Start == p.Start && c.Offset < p.Base
}

// Metadata goes with every commit, so that the commit alone decides which epoch is in force (design 4, rule 4).
func Metadata(epoch uint32, start int64) string { return fmt.Sprintf("unecho1 %d %d", epoch, start) }

// newMark stands last in the metadata of a partition of which nothing was committed yet (decision 83).
const newMark = " new"

func marked(metadata string, isNew bool) string {
	if isNew {
		return metadata + newMark
	}
	return metadata
}

func parse(s string) (epoch uint32, start int64, ok bool) {
	if !strings.HasPrefix(s, "unecho1 ") {
		return 0, 0, false
	}
	if _, err := fmt.Sscanf(s, "unecho1 %d %d", &epoch, &start); err != nil {
		return 0, 0, false
	}
	return epoch, start, true
}

// BypassedMetadata is the metadata of a commit below which documents were passed on unchecked. From the offset passed on
// the journal has yet to be told of them. A version that does not know passing reads it as Metadata.
func BypassedMetadata(epoch uint32, start, passed int64) string {
	return fmt.Sprintf("%s passed=%d", Metadata(epoch, start), passed)
}

func unjournaled(offset int64, s string) int64 {
	var epoch uint32
	var start, passed int64
	if _, err := fmt.Sscanf(s, "unecho1 %d %d passed=%d", &epoch, &start, &passed); err != nil || passed < start {
		return 0
	}
	return max(0, offset-passed)
}

// BackfillMetadata is the metadata of a backfill's commits. It also counts the verdicts so far.
func BackfillMetadata(epoch uint32, start int64, t Tally) string {
	said := fmt.Sprintf("%s unique=%d reemitted=%d duplicate=%d rejected=%d", Metadata(epoch, start), t.Unique, t.Reemitted,
		t.Duplicate, t.Rejected)
	if t.Unchecked > 0 {
		said += fmt.Sprintf("%s%d", uncheckedTally, t.Unchecked)
	}
	return said
}

// uncheckedTally stands last, where there is something to say: versions that do not know it read what stands before.
const uncheckedTally = " unchecked="

func parseTally(s string) (t Tally) {
	var epoch uint32
	var start int64
	_, err := fmt.Sscanf(s, "unecho1 %d %d unique=%d reemitted=%d duplicate=%d rejected=%d", &epoch, &start, &t.Unique,
		&t.Reemitted, &t.Duplicate, &t.Rejected)
	if err != nil {
		return Tally{}
	}
	if _, unchecked, ok := strings.Cut(strings.TrimSuffix(s, newMark), uncheckedTally); ok {
		if t.Unchecked, err = strconv.ParseInt(unchecked, 10, 64); err != nil {
			return Tally{}
		}
	}
	return t
}
