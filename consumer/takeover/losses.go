package takeover

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/index/entry"
)

// losses are what nobody will judge.
type losses struct {
	*Setup
	standing *standing.Session
	gone     map[entry.Source]int64 // below, deleted documents are counted
}

// deleted notes what retention deleted, together with the commits that tell it to the next owners of the
// partitions. A commit without an answer may have taken effect, so it counts.
func (t *losses) deleted(begun []*protocol.Takeover, err error) {
	var refused *kerr.Error
	if errors.As(err, &refused) {
		return
	}
	for _, of := range begun {
		if of.Decision.Reason == protocol.Deleted {
			t.lose(of.TopicPartition, max(of.Committed.Offset, of.Duty.Begins(of.Source)), of.Decision.Offset)
		}
	}
}

// lose notes that a partition begins behind its committed offset: retention of the source has run ahead of the
// group, and nobody will judge what is gone. Each offset counts once in a session. Other sessions do not count it,
// because the epoch begins behind it.
//
// The number is an upper bound, for nobody can tell any more whether a document was at an offset. What a session has
// read never counts, because it is committed. Markers of transactions, and the aborted records before them, are
// committed as well.
func (t *losses) lose(tp protocol.TopicPartition, from, begins int64) {
	from = max(from, t.gone[tp.Source])
	t.gone[tp.Source] = max(from, begins)
	if from >= begins {
		return
	}
	t.Counters.Deleted.Add(uint64(begins - from))
	t.Logger.Error().Str("topic", tp.Topic).Int32("partition", tp.Source.Partition).Int64("from", from).
		Int64("offset", begins).
		Int64("at_most", begins-from).Msg("documents were deleted before they were read: going on where the topic begins")
}

// skipped notes what somebody else's commits have the group leave out, before the commits that begin there: the next
// owners of the partitions find nothing strange. This process is not ready until it is started again. To set the offset
// back, it has to end as well.
func (t *losses) skipped(begin []*protocol.Takeover) {
	for _, of := range begin {
		from, to, some := of.Skips(&of.Decision)
		if !some || !t.standing.Skips(of.Name(), from, to) {
			continue // none, or by a commit that is repeated
		}
		t.Counters.Skipped.Add(uint64(to - from))
		t.Logger.Error().Str("topic", of.Topic).Int32("partition", of.Source.Partition).Int64("from", from).
			Int64("offset", to).Int64("at_most", to-from).Str("remedy", standing.SkippedRemedy).
			Msg("somebody else has committed an offset beyond what is known to be forwarded: what lies between may be judged by nobody")
	}
}
