package consumer

import (
	"time"

	"github.com/unecho/unecho/consumer/gateway"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// Stats says what a service has done since it started, and how it stands.
type Stats struct {
	Unique    uint64 // documents committed by this process
	Reemitted uint64 // of those, copies that were emitted again
	Duplicate uint64
	Unchecked uint64 // forwarded as unique without being judged; not counted as unique
	ByBytes   uint64 // of those that were judged, compared by their bytes: too much of them cannot be read
	Rejected  map[sink.Reason]uint64
	Topics    []Verdicts // the same by topic of the source: first those that the configuration names

	UncheckedBy map[sink.UncheckedReason]uint64

	LastRejected  map[sink.Reason][]Example // the newest few of each reason, the newest first
	LastUnchecked map[sink.UncheckedReason][]Example

	Similarity Histogram // of the matches of committed documents, those that were emitted again included
	Delay      Histogram // seconds from a document's timestamp to its commit

	// canonical text of those in force, as the journal declares them; nil if that is not known. Not to be changed
	Settings []byte

	Commits  uint64
	Rebuilds uint64 // sessions closed and opened again
	Deleted  uint64 // offsets of the source that retention deleted before this process read them
	Skipped  uint64 // offsets that somebody else's commits had the group leave out

	Outages  uint64 // of the journal, in which a session passed documents on unchecked
	Recorded uint64 // documents that were passed on and brought to the journal since
	Outage   bool   // documents are passed on now

	Gateway gateway.Stats // documents that came over HTTP

	Withdrawals uint64 // times that this process left the group because its replica lagged
	Divergences uint64 // claims of other replicas that this one could not confirm
	Accusations uint64 // of those, claims found wrong, whose members this process accused

	Latency Latency

	Strays      map[journal.Reason]uint64 // records of the journal that were passed over
	Journal     journal.Stats
	JournalRead journal.Stats // what this process's replica has read
	JournalNext int64         // the replica's next offset; -1 until it is restored
	JournalEnd  int64         // the journal's end when last read; -1 when unknown
	// JournalStart is the first offset that the journal keeps, -1 when unknown. StartTime is when that record was
	// appended, ms since 1970; 0 when unknown, or when the journal keeps none.
	JournalStart int64
	StartTime    int64
	AppliedTime  int64 // LogAppendTime of the last applied record, ms since 1970
	// ClockAhead is by how much this machine's clock is at least ahead of that of the journal's broker; ClockKnown is false
	// before the first append.
	ClockAhead time.Duration
	ClockKnown bool
	// ConfirmedTime is the LogAppendTime at which a checkpoint last confirmed the replica, ms since 1970; 0 when none
	// has since it was restored.
	ConfirmedTime int64
	Index         index.Stats
	Bounds        WindowLimits
	// SourceLag is how many offsets of the source all members of the group together have not committed yet; -1 when
	// unknown.
	SourceLag    int64
	LagErr       error          // why it is unknown; nil: it is known, or was not read yet
	Lags         []PartitionLag // of the partitions that this process reads
	GroupLags    []PartitionLag // of all partitions; of those that this process does not read, the seconds are not known
	Leaderless   int            // partitions of the source that have no leader; their lag is not known
	Partitions   int            // of the source, assigned to this process
	Waiting      []Waiting      // of those, partitions that wait for a person
	Untaken      []Untaken      // topics that sources.pattern fits and that are not read yet
	SnapshotNext int64          // journal offset of the newest snapshot; -1 when there is none
	SnapshotTime int64          // when it was taken, ms since 1970; 0 when there is none
	SnapshotErrs uint64
	TrimErrs     uint64 // how often the journal was not trimmed behind a snapshot that was taken
	// the member that took the newest snapshot of which the journal tells; empty: it told of none yet
	SnapshotBy  string
	SnapshotErr *member.Failure // of this process's last try to take one; nil: it succeeded, or there was none
	// Of files with old documents (duplicates.remember.directory): reads, those that judging waited for in its turn, because
	// nothing had read them ahead, those that failed, and how long judging only waited for files.
	FileReads, FileReadBytes, FileLate, FileErrs uint64
	FileWait                                     time.Duration
	FileErr                                      *member.Failure // for which judging waits, or old documents stay in memory; nil: none
	FileTrouble                                  string          // why judging waits, and what to do; empty: it does not

	Params   index.Params // in force; before there is a replica those of the setup
	Member   string       // the name of this process in the group; empty until it has one
	Ready    bool
	Standing Standing
}

// Rejections is how many documents were rejected, for whatever reason.
func (s *Stats) Rejections() (n uint64) {
	for _, of := range s.Rejected {
		n += of
	}
	return n
}

// Committed is how many documents this process has committed, whatever became of them.
func (s *Stats) Committed() uint64 { return s.Unique + s.Duplicate + s.Unchecked + s.Rejections() }

// JournalKeptBytes estimates what the journal takes on a broker, before replication and compression: the records that
// it keeps, times the mean size of those that this process has read. ok is false while that is not known.
func (s *Stats) JournalKeptBytes() (n int64, ok bool) {
	if s.JournalStart < 0 || s.JournalEnd < s.JournalStart || s.JournalRead.Records == 0 {
		return 0, false
	}
	mean := float64(s.JournalRead.Bytes) / float64(s.JournalRead.Records)
	return int64(mean * float64(s.JournalEnd-s.JournalStart)), true
}

// WindowLimits are those of the window. 0 is none.
type WindowLimits struct {
	Age       time.Duration
	Documents int
	Bytes     int64
}

// counted returns the part of Stats that consists of counters.
func (s *Service) counted() Stats {
	c, m := s.counters, s.replicas
	out := c.Output()
	by := ""
	if p := m.SnapshotBy.Load(); p != nil {
		by = *p
	}
	return Stats{
		SnapshotBy: by, SnapshotErr: m.SnapshotErr.Load(),
		FileReads: m.FileReads.Load(), FileReadBytes: m.FileReadBytes.Load(), FileLate: m.FileLate.Load(), FileErrs: m.FileErrs.Load(),
		FileWait: m.FileWait.Total(), FileErr: m.FileErr.Load(), FileTrouble: m.FileTrouble(time.Now()),
		JournalRead: journal.Stats{Records: m.ReadRecords.Load(), Bytes: m.ReadBytes.Load()},
		Unique:      out.Unique, Reemitted: out.Reemitted, Duplicate: out.Duplicate, Rejected: out.Rejected,
		Unchecked: out.Unchecked, UncheckedBy: out.UncheckedBy, ByBytes: out.ByBytes,
		LastRejected: out.LastRejected, LastUnchecked: out.LastUnchecked,
		Topics: out.Topics, Similarity: out.Similarity, Delay: out.Delay,
		Gateway: s.taken.Read(),
		Outages: c.Outages.Load(), Recorded: c.Recorded.Load(), Outage: c.Passing.Load() > 0,
		Commits: c.Commits.Load(), Rebuilds: c.Rebuilds.Load(), Deleted: c.Deleted.Load(), Skipped: c.Skipped.Load(),
		Withdrawals: s.withdrawals.Load(),
		Divergences: m.Divergences.Load(), Accusations: m.Accusations.Load(), Strays: m.Strays.Read(), Latency: c.Latency(),
		Partitions: int(c.Partitions.Load()), JournalNext: -1, JournalEnd: -1, JournalStart: -1,
		SnapshotNext: m.SnapshotNext.Load(),
		SnapshotTime: m.SnapshotTime.Load(), SnapshotErrs: m.SnapshotErrs.Load(), TrimErrs: m.TrimErrs.Load(),
	}
}
