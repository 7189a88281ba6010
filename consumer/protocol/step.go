package protocol

import (
	"slices"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Want is what a session does next. A batch goes from WantSigned to WantVerdicts, WantEntries, WantReached and
// WantVerdicts again until each document has its verdict. Then come WantTimeCheck, WantOutputs, WantCommit and Done.
type Want int

// What is wanted, and the method that answers. Up to WantSigned, Member has the method. After that Batch has it, unless
// the line says Member. While the journal is away, Member.Bypass answers WantEntries and WantReached as well.
const (
	WantUnjournaled   Want = iota // a poll of what was passed on of Of, from Journaled on: Fetched, or Later
	WantRecords                   // a poll of Of, while the other partitions are paused: Fetched
	WantEnds                      // that the end of the range is committed for those of Of that have no document left before it: Skipped
	WantAnnouncements             // that the Announcement of each of Of is appended to the journal: Announced
	WantSigned                    // that the documents which are not Judged are signed: Signed
	WantVerdicts                  // a look at the replica: Judge, by the member itself
	WantEntries                   // that Runs are appended to the journal: Appended
	WantTimeCheck                 // which outputs would refuse a document for its time: CheckTimes
	WantForgets                   // that Forgets are appended to the journal: Appended
	WantReached                   // that the replica has applied every record below Until: Reached
	WantOutputs                   // that a transaction begins, and every document is produced to its output: Produced, of the member
	WantCommit                    // that the transaction commits what Commit says: Ended
	WantOffsets                   // the committed offsets, fetched as RequireStable says: Offsets
	WantAbort                     // that the transaction, if there is one, is aborted, and the client rewinds: Aborted, of the member
	WantForget                    // as WantForgets, of a document that its output has refused: Appended
	WantForgotten                 // as WantReached: Reached
	Done                          // that the batch and its memory are let go: Rested, of the member
	Rebuild                       // nothing: the session is built anew, because of Why, or because nobody knows what was committed
	GiveUp                        // nothing: no output takes the first document in any form, and a person is needed
)

// Step is one effect. A member fills it in, and a session reads it.
type Step struct {
	Want    Want
	Of      []*Assignment // before WantSigned: the assignments that it is about
	Records int           // of WantUnjournaled and WantRecords: how many may be polled
	Rewinds bool          // of WantUnjournaled: what it polled last was not recorded, so it begins again at Journaled
	Wait    time.Duration // of WantRecords: how long the poll may last
	Batch   *Batch        // from WantSigned on; nil between two batches, also of WantAbort and Rebuild
	Why     error         // of Rebuild: why; nil if the commit, the offsets or the outputs failed, whose error the session has
	Moved   *Assignment   // of Rebuild: the source has another document there than was judged
}

// Journal is how the journal stands when a step is chosen.
type Journal struct {
	Replica *index.Replica
	Away    bool // it does not answer, and documents are passed on unchecked
}

// Fetch is what a poll brought.
type Fetch struct {
	Records int     // with those that belong to no group
	Groups  []Group // by partition
	Size    int     // documents of all groups
	Stray   bool    // some are of a partition that is not assigned any more
	Waited  bool    // the poll lasted as long as it might
}

// PartitionName names a partition of the source as a client does.
type PartitionName = entry.PartitionName

// Name is that of the partition.
func (tp *TopicPartition) Name() PartitionName { return entry.Name(tp.Topic, tp.Source.Partition) }

// Topics names the topics of partitions, each once.
func Topics[T interface{ Name() PartitionName }](of []T) (names []string) {
	for _, one := range of {
		if topic := one.Name().Topic; !slices.Contains(names, topic) {
			names = append(names, topic)
		}
	}
	return names
}
