package index

import (
	"time"

	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/index/wire"
)

// Stats counts what a replica has done since it was built or restored, and what it holds.
type Stats struct {
	Records    uint64 // journal records passed
	Ignored    uint64 // records that changed nothing
	Changed    int64  // journal offset after the last record that was no mark or checkpoint; 0 when there was none
	Erased     int64  // journal offset after the last record that erased documents; 0 when there was none
	Confirmed  int64  // see Replica.Confirmed
	Judged     uint64 // documents judged
	Unique     uint64
	Duplicate  uint64
	Doubtful   uint64 // copies by an estimate that is as near to the threshold as it may be off
	Reemitted  uint64 // copies that came through as unique
	Resent     uint64 // duplicates that came again with their idempotency key
	Candidates uint64 // candidates that documents were compared with
	Full       uint64 // keys that may have more documents than were met
	Unverified uint64 // candidates left out, for duplicates.max_candidates or what comparing may cost
	Dropped    uint64 // documents met that their digests ruled out, so that they were not compared
	Work       uint64 // steps spent on comparing
	UniqueCut  uint64 // documents that are unique by what they were compared with, where something was left out
	Cuts       Cuts   // documents that UniqueCut counts, with a Rule those that matched too, by the bounds that were hit
	Moved      uint64 // entries of buckets moved because tables grew or shrank
	MostMoved  int    // the most entries moved for one document

	Documents     int   // visible in the window
	WindowBytes   int64 // their bytes, as duplicates.remember.memory counts them
	OldestApplied int64 // stream time at which the oldest visible document was applied, ms; 0 when there is none
	Now           int64 // stream time, ms
	Held          int   // verdicts judged and not known to be committed
	Requests      int   // remembered by their idempotency keys
	Segments      int
	Memory        int64 // bytes that segments and buckets take
	Filed         int   // documents whose records lie in files, and not in memory
	FileBytes     int64 // of the files in which segments and blocks lie
	Blocks        window.BlockStats
}

// Age is how far the window reaches back: the stream time since its oldest document was applied; 0 when there is none.
func (s *Stats) Age() time.Duration {
	if s.Documents == 0 {
		return 0
	}
	return time.Duration(s.Now-s.OldestApplied) * time.Millisecond
}

// Cuts counts documents that were not compared with all that may be similar enough, by the bounds that left something
// out: a document counts for each of them.
type Cuts struct{ References, Candidates, Work uint64 }

func (c *Cuts) count(s *survey) {
	c.References += uint64(wire.Flag(s.full > 0))
	c.Candidates += uint64(wire.Flag(s.beyond > 0))
	c.Work += uint64(wire.Flag(s.costly > 0))
}

// Add adds others.
func (c *Cuts) Add(d Cuts) {
	c.References, c.Candidates, c.Work = c.References+d.References, c.Candidates+d.Candidates, c.Work+d.Work
}

// Since returns what was counted after d.
func (c Cuts) Since(d Cuts) Cuts {
	return Cuts{c.References - d.References, c.Candidates - d.Candidates, c.Work - d.Work}
}

// Hit returns the keys of the bounds that were hit, such as max_work.
func (c Cuts) Hit() (hit []string) {
	for _, b := range [...]struct {
		key string
		n   uint64
	}{{"max_references", c.References}, {"max_candidates", c.Candidates}, {"max_work", c.Work}} {
		if b.n > 0 {
			hit = append(hit, b.key)
		}
	}
	return hit
}
