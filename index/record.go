package index

import (
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// Stamp is the place and time that the journal's broker gave a record.
type Stamp struct {
	Offset        int64 // journal offset
	LogAppendTime int64 // ms since 1970, by the broker's clock
}

// Record is one journal record: exactly one of *Settings, *Run, *Reposition, *Forget, *Erase, *Mark, *Checkpoint,
// *Accusation, *Routing, *SettingsChange, *Feed, *Fill.
type Record interface {
	// Appended is the appender's clock when it appended, ms since 1970; 0 where it does not say.
	Appended() int64

	head() Header
	// note takes from a record what counts whatever settings are in force.
	note(r *Replica)
	// apply applies a record of the settings in force.
	apply(r *Replica, at Stamp) Effect
	// fold adds a record that was applied to the running hash.
	fold(h running, r *Replica) running
	// source returns the source partition of the document about which the record gave a verdict.
	source(v *Verdict) entry.Source
	// aboutReplicas says that the record comes with a snapshot, and is no reason to take another one.
	aboutReplicas() bool
}

// SourceOf returns the source partition of the document about which rec gave verdict v.
func SourceOf(rec Record, v *Verdict) entry.Source { return rec.source(v) }

// Header is common to all records but Settings.
type Header struct {
	Fingerprint uint64 // of the settings in force; a record with another one changes nothing
	Wall        int64  // the appender's clock when it appended, ms since 1970
}

// Appended implements Record.
func (h Header) Appended() int64 { return h.Wall }

// A record that has a header and says nothing else does as these do.

func (h Header) head() Header                     { return h }
func (Header) note(*Replica)                      {}
func (Header) fold(h running, _ *Replica) running { return h }
func (Header) aboutReplicas() bool                { return false }
func (Header) source(*Verdict) entry.Source       { return entry.Source{} }

// Settings declares the settings that decide verdicts. The first record of this kind in journal order wins.
type Settings struct {
	Text []byte // canonical JSON
	Wall int64
}

// Appended implements Record.
func (s *Settings) Appended() int64 { return s.Wall }

func (s *Settings) head() Header               { return Header{Wall: s.Wall} }
func (*Settings) note(*Replica)                {}
func (*Settings) aboutReplicas() bool          { return false }
func (*Settings) source(*Verdict) entry.Source { return entry.Source{} }

// Routing declares where documents are read from and written to. It decides no verdict, so it is not part of the
// settings, and what is remembered outlives it. But members with different routings would forward each other's
// documents to different places. It applies only if its Number is the one in force + 1, so the first of two concurrent
// changes wins.
type Routing struct {
	Header
	Routes
}

// Routes are a routing and its number in the journal.
type Routes struct {
	Number uint32 // 1 is the first that was declared, 0 is none
	Text   []byte // canonical JSON
}

// Hash returns the hash of the text, or 0 if there is no routing.
func (r Routes) Hash() uint64 {
	if r.Number == 0 {
		return 0
	}
	return Hash(r.Text)
}

// Run carries entries of one source partition, ascending by offset.
type Run struct {
	Header
	Source  entry.Source
	Epoch   uint32
	Base    int64 // all offsets below are forwarded and committed; a run without entries announces only this
	Entries []entry.Entry
}

// Reposition begins a new epoch of a source partition at Offset. It applies only if Epoch is the current one + 1.
type Reposition struct {
	Header
	Source entry.Source
	Name   string // the topic's name when this was appended, for headers
	// number of partitions of the topic at that time; a partition with a number at or above it was added later
	Partitions int32
	Offset     int64
	Epoch      uint32
}

// Forget takes the verdict given at Target back, because an output refused the document. It kills the document,
// unless a feed brought it.
type Forget struct {
	Header
	Target entry.Position
}

// Mark makes every replica remember its hash after this record, because a checkpoint will refer to it.
type Mark struct {
	Header
	Number uint64 // by which the appender recognises its own mark
}

// Checkpoint claims that the replica of Member had Hash when the next journal offset to apply was Offset, directly
// after a mark. It repeats settings, bounds and routes in force there, because the records that declared them are
// trimmed with the journal's head.
type Checkpoint struct {
	Header
	Member   string
	Offset   int64
	Hash     uint64
	Settings []byte // canonical JSON, or nothing
	Routes   Routes
	Bounds   Bounds // Number 0: those of Settings
}

// Accusation claims that the replica of Accused was wrong at Offset. Member restored an earlier snapshot, replayed the
// journal from there, and came to Hash again.
type Accusation struct {
	Header
	Member  string
	Accused string
	Offset  int64
	Hash    uint64
}

// Feed carries entries of several source partitions, in the order in which they are judged. A backfill appends it, so
// that the order is that of the documents' places and not that of the appends (design 4, rule 15).
type Feed struct {
	Header
	First   uint64 // entries that were fed before this record's first one
	Parts   []FeedPart
	Entries []FedEntry
}

// FeedPart is a source partition of a Feed.
type FeedPart struct {
	Source  entry.Source
	Epoch   uint32
	From    int64 // through which offset it was fed before this record; 0 if nothing was fed
	Through int64 // after this record, all documents of the partition below this offset are fed or rejected
}

// FedEntry is an entry of a Feed.
type FedEntry struct {
	Part int   // number of its partition in Parts
	At   int64 // the time of its place, ms since 1970; it never falls within a feed
	entry.Entry
}

// Fill carries documents that a group is to remember before it judges anything (design 4, rule 16). None of them gets a
// verdict. The record that begins a fill has its plan and nothing else.
type Fill struct {
	Header
	Number  uint32 // of the fill; 1 is the first
	Plan    []byte // what is brought, for those who append it; empty but in the record that begins the fill
	First   uint64 // entries that this fill brought before this record's first one
	Parts   []FillPart
	Entries []FedEntry // in the order of their places
}

// FillPart is a source partition of a Fill.
type FillPart struct {
	Source   entry.Source
	Name     string // the topic's name, for headers
	From     int64  // through which offset fills brought it before this record; 0 if nothing was brought
	Through  int64  // after this record, all documents of the partition below this offset are brought or rejected
	Rejected uint64 // documents of all fills below Through that cannot be compared
}

// entries is a record with entries. entry returns entry i, or nil if there is none or it is empty.
type entries interface {
	entry(i int) *entry.Entry
	size() int
}

// lookAhead prepares the lookups of the entries behind the one at hand, if that has not begun its turn.
func (r *Replica) lookAhead(of entries) {
	w, i := r.find.buckets, r.underway.entry
	if r.judge.turn.open {
		return
	}
	for k := 1; i == 0 && k < window.Lookaheads; k++ {
		w.LookAhead(of.entry(k))
	}
	w.LookAhead(of.entry(i + window.Lookaheads))
}
