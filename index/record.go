package index

import "github.com/unecho/unecho/index/entry"

// Stamp is what the journal's broker knows of a record: where it stands and when it arrived there.
type Stamp struct {
	Offset        int64 // journal offset
	LogAppendTime int64 // ms since 1970, by the broker's clock
}

// Record is one journal record: exactly one of *Settings, *Run, *Reposition, *Forget, *Mark, *Checkpoint, *Accusation,
// *Routing.
type Record interface{ record() }

// Header is common to all records but Settings.
type Header struct {
	Fingerprint uint64 // of the settings the appender runs with; a record of others changes nothing
	Wall        int64  // the appender's clock when it appended, ms since 1970
}

// Settings declares what decides verdicts. The first in journal order wins.
type Settings struct {
	Text []byte // canonical JSON
	Wall int64
}

// Routing declares from where documents come and where they go. It decides no verdict, so that it is none of the settings and
// what is remembered outlives it; but members that differ in it would forward each other's documents to other places. It
// applies only if its Number is the one in force + 1: of two changes at once the first wins.
type Routing struct {
	Header
	Routes
}

// Routes are a routing and how the journal came to it.
type Routes struct {
	Number uint32 // 1 is the first that was declared, 0 is none
	Text   []byte // canonical JSON
}

// Hash is that of the text; 0 if there is none.
func (r Routes) Hash() uint64 {
	if r.Number == 0 {
		return 0
	}
	return Fingerprint(r.Text)
}

// Run carries entries of one source partition, ascending by offset.
type Run struct {
	Header
	Source  entry.Source
	Epoch   uint32
	Base    int64 // all offsets below are forwarded and committed; a run without entries announces just this
	Entries []entry.Entry
}

// Reposition begins a new epoch of a source partition at Offset. It applies only if Epoch is the current one + 1.
type Reposition struct {
	Header
	Source     entry.Source
	Name       string // the topic's name when this was appended, for headers
	Partitions int32  // of the topic then, by which a partition added later is known
	Offset     int64
	Epoch      uint32
}

// Position is a place in the journal: the record's offset and the entry's number within it.
type Position struct {
	Offset int64
	Entry  int32
}

// Before orders positions.
func (p Position) Before(q Position) bool {
	return p.Offset < q.Offset || p.Offset == q.Offset && p.Entry < q.Entry
}

// Forget kills the document that was judged at Target.
type Forget struct {
	Header
	Target Position
}

// Mark says that a checkpoint will follow about the replicas as they are when they have applied this: each remembers its hash.
type Mark struct {
	Header
	Number uint64 // by which the appender knows its own
}

// Checkpoint claims that the replica of Member had Hash when its next offset to apply was Offset, behind a mark. It repeats
// settings and routes as they were there, because the records that declared them are trimmed with the journal's head.
type Checkpoint struct {
	Header
	Member   string
	Offset   int64
	Hash     uint64
	Settings []byte // canonical JSON, or nothing
	Routes   Routes
}

// Accusation claims that the replica of Accused was wrong at Offset: that of Member, restored from what lies before and
// replayed, came to Hash a second time.
type Accusation struct {
	Header
	Member  string
	Accused string
	Offset  int64
	Hash    uint64
}

func (*Settings) record()   {}
func (*Run) record()        {}
func (*Reposition) record() {}
func (*Forget) record()     {}
func (*Mark) record()       {}
func (*Checkpoint) record() {}
func (*Accusation) record() {}
func (*Routing) record()    {}
