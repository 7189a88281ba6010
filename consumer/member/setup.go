package member

import (
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/recent"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

// Setup is what a member is made of.
type Setup struct {
	Name    string // of the member in its group
	Group   string
	Kafka   []kgo.Opt // how the cluster is reached
	Log     *journal.Log
	Journal journal.Params
	Agreed  *Agreed
	Store   snapshot.Store
	Leases  snapshot.Leaser  // nil: there are none
	Files   *files.Directory // where old documents lie; nil: in memory
	// AcceptJournalGap begins with an empty memory where no snapshot reaches that beginning of the journal: see
	// journal.Log.Gap.
	AcceptJournalGap string
	// ProducerTime accepts a journal whose records carry the appender's time.
	ProducerTime bool
	Counters     *Counters
	Recent       *recent.Copies // nil: the last copies are not remembered
	Logger       zerolog.Logger
}

// Counters count over all replicas that a process has one after the other.
type Counters struct {
	Divergences, Accusations atomic.Uint64
	SnapshotErrs, TrimErrs   atomic.Uint64 // snapshots that were not taken; the journal not trimmed behind one that was
	// of the newest snapshot: the journal offset, -1 if there is none; when it was taken, ms
	SnapshotNext, SnapshotTime atomic.Int64
	SnapshotBy                 atomic.Pointer[string]  // whose checkpoint was applied last
	SnapshotErr                atomic.Pointer[Failure] // of the last try to take a snapshot; nil: it succeeded
	Strays                     StrayCounters
	FileReads, FileReadBytes   atomic.Uint64                   // of files with old documents
	FileLate                   atomic.Uint64                   // of those reads, ones that judging waited for in its turn
	FileErrs                   atomic.Uint64                   // reads that failed or were damaged, and tries to write
	FileErr                    atomic.Pointer[Failure]         // for which judging waits, or segments stay in memory; nil: none
	FileWait                   Stopwatch                       // while judging only waits for files
	FilesHalt                  Stopwatch                       // while judging waits until files are read, healed or written
	files                      atomic.Pointer[files.Directory] // where old documents lie; nil: in memory
	reads, writes              calls                           // of these files
	ReadRecords, ReadBytes     atomic.Uint64                   // of the journal
}

// Failure is an error, and when it happened.
type Failure struct {
	Err error
	At  time.Time
	of  string // a file of old documents, or their kind; empty: something else failed
}

// NewCounters begins without a snapshot.
func NewCounters() *Counters {
	c := &Counters{}
	c.SnapshotNext.Store(-1)
	return c
}
