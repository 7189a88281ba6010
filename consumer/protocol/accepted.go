package protocol

import (
	"encoding/base64"
	"fmt"

	"github.com/unecho/unecho/index/entry"
)

// Accepted is what a person permits a process once. Each text is that of a flag, as the message that stopped a member
// printed it, and names one loss. Left behind, it permits no other one.
type Accepted struct {
	JournalGap  string   // as JournalGap has it: go on with an empty memory; empty: no
	LostOffsets []string // as LostOffsets has them: go on from base where the committed offset is below
	Rejected    []string // topics whose first documents may all be rejected for one reason
	Unchecked   []string // topics of whose first documents none may meet sources.when
}

// JournalGap names the loss of what a journal held below its beginning. The id of its topic, which stands there as Kafka's
// tools print it, is another one after the topic was deleted and created again.
func JournalGap(journal string, id [16]byte, begin int64) string {
	return fmt.Sprintf("%s@%d:%s", journal, begin, base64.RawURLEncoding.EncodeToString(id[:]))
}

// LostOffsets names the loss of a partition's committed offset, where all below base was forwarded.
func LostOffsets(name entry.PartitionName, base int64) string {
	return fmt.Sprintf("%s@%d", name, base)
}
