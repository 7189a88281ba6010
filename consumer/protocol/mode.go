package protocol

import "github.com/unecho/unecho/index"

// Mode is what a group does with what its sessions read: it forwards what comes (live.go) or replays ranges
// (backfill.go). Nothing outside these files asks which of them it is.
type Mode interface {
	// First is the offset at which a partition begins that nobody knows.
	First(f *Findings) int64
	// Adjust has the last word on a decision.
	Adjust(f *Findings, d Decision) Decision
	// Metadata is that of the next commit of an assignment.
	Metadata(a *Assignment) string
	// Finite says that each partition is read up to the end of a range, and before that as far as Reach says. Commits have
	// counts of verdicts in their metadata.
	Finite() bool
	// Fixed is the moment by which documents are untimely (ms since 1970); ok is false where that is the present.
	Fixed() (at int64, ok bool)
	// Reads says whether a partition of a topic is read. The error is ErrRecreated.
	Reads(tp *TopicPartition) (bool, error)
	// Partitions is how many partitions of a topic are read, which has so many now.
	Partitions(topic string, now int) int
	// Fed says that documents are fed by a feeder, and not appended by their session.
	Fed() bool
	// MayBypass says that documents can be passed on unchecked while the journal is away.
	MayBypass() bool
	// Reach is the offset up to which a session may commit documents of an assignment.
	Reach(a *Assignment, r *index.Replica) int64
	// Lead is how many offsets a partition must be ahead, so that a poll of so many records is worth its cost. At most
	// so many verdicts are held for all.
	Lead(records, held int) int
	// Worth says whether a session should poll an assignment of that reach, given Lead.
	Worth(a *Assignment, reach int64, lead int) bool
	// Due says that the journal is to have the base of an assignment, given Lead, because the replicas hold verdicts of
	// which much is committed.
	Due(a *Assignment, lead int) bool
	// Overtaken says that documents which are to be read next were deleted, if the partition begins there.
	Overtaken(a *Assignment, begin int64) bool
}

// NewMode returns the mode of a group that replays a plan, or of one without.
func NewMode(plan *Plan) Mode {
	if plan != nil {
		return backfill{plan: plan}
	}
	return live{}
}
