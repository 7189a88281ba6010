package index

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
	Cut        uint64 // band keys of which not all references were read, for similarity.max_references
	Unverified uint64 // candidates left out, for similarity.max_candidates or similarity.max_work
	Dropped    uint64 // documents met among popular keys that their outlines ruled out, so that they were not compared
	Work       uint64 // steps of similarity.max_work spent on comparing
	UniqueCut  uint64 // documents that are unique by what they were compared with, where something was left out
	Moved      uint64 // entries of buckets moved because tables grew or shrank
	MostMoved  int    // the most entries moved for one document

	Documents     int   // visible in the window, those of history included
	History       int   // of these, documents of history: primed, and older than what was judged
	WindowBytes   int64 // their bytes, as window.bytes counts them
	OldestApplied int64 // stream time at which the oldest visible document was applied, ms; 0 when there is none
	Now           int64 // stream time, ms
	Held          int   // verdicts judged and not known to be committed
	Requests      int   // remembered by their idempotency keys
	Segments      int
	Memory        int64 // bytes that segments and buckets take
}
