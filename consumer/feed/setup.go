package feed

import (
	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/protocol/feeding"
	"github.com/unecho/unecho/consumer/signing"
)

// Setup is what a feeder is made of. It does not change while the feeder runs.
type Setup struct {
	Plan    *protocol.Plan
	Cluster *cluster.Cluster
	Log     *journal.Log
	Replica *member.Follower
	// what it rejects must follow from the documents and the plan alone, so that all feeders reject the same
	Signing *signing.Setup

	MaxBatchBytes int // what one batch may take in memory when unpacked
	FetchBytes    int // how much one broker is asked for at a time
	MaxRate       int // documents a second; 0: no bound
	MaxHeld       int // the feeder waits while so many verdicts are held; 0: no bound

	// Fill is the number of the fill in force, whose plan is fed. 0 is a backfill.
	Fill uint32
	// Files is the topic of the files that a person fills the window with: it is not passed over if it is gone. Only a
	// fill may have it.
	Files string
	// Reads says of a topic whether the group reads it. There a header of ours says nothing. Only a fill needs it.
	Reads func(topic string) bool

	Logger zerolog.Logger
}

// queueBytes is how many bytes of entries wait for those of other ranges, in all. A range that has its share of them
// is not read until the merge has used half of it. What one poll brings comes on top.
const queueBytes = 64 << 20

// leastQueue is the least share of a range. It keeps fetches useful where there are very many ranges.
const leastQueue = 32 << 10

// quota is the share of one range, and that of all.
func (s *Setup) quota() feeding.Quota {
	return feeding.Quota{Range: max(queueBytes/len(s.Plan.Ranges), leastQueue), All: queueBytes}
}

// limits are those of a record. With a rate that is low, a record has fewer entries, so that they come evenly.
func (s *Setup) limits() feeding.Limits {
	entries := journal.RunEntries
	if s.MaxRate > 0 {
		entries = min(entries, max(1, s.MaxRate/4))
	}
	return feeding.Limits{
		RunLimits: protocol.RunLimits{Entries: entries, Bytes: journal.RunBytes}, Part: s.partSize(), Place: journal.FeedPlace,
	}
}

// partSize is an upper bound of what a range takes as a part of a record.
func (s *Setup) partSize() int {
	if s.Fill == 0 {
		return journal.FeedPartSize
	}
	most := 0
	for _, r := range s.Plan.Ranges {
		most = max(most, journal.FillPartSize(r.Topic))
	}
	return most
}
