package protocol

import (
	"fmt"

	"github.com/unecho/unecho/index/entry"
)

// Accepted is what a person permits a process once. Each text is that of a flag, as the message that stopped a member
// printed it, and names one loss. Left behind, it permits another one only of a journal that is lost again and begins at
// the same offset.
type Accepted struct {
	JournalGap  string   // as JournalGap has it: go on with an empty memory; empty: no
	LostOffsets []string // as LostOffsets has them: go on from base where the committed offset is below
	Rejected    []string // topics whose first documents may all be rejected for one reason
}

// JournalGap names the loss of what a journal held below its beginning.
func JournalGap(journal string, begin int64) string { return fmt.Sprintf("%s@%d", journal, begin) }

// LostOffsets names the loss of a partition's committed offset, where all below base was forwarded.
func LostOffsets(name entry.PartitionName, base int64) string {
	return fmt.Sprintf("%s@%d", name, base)
}
