package session

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/protocol"
)

// allDeleted notes what retention deleted, together with the commits that tell it to the next owners of the
// partitions. A commit without an answer may have taken effect, so it counts.
func (t *adviser) allDeleted(begun []*protocol.Takeover, err error) {
	var refused *kerr.Error
	if errors.As(err, &refused) {
		return
	}
	for _, of := range begun {
		if of.Decision.Reason == protocol.Deleted {
			t.deleted(of.TopicPartition, max(of.Committed.Offset, of.Duty.Begins(of.Source)), of.Decision.Offset)
		}
	}
}

// deleted notes that a partition begins behind its committed offset: retention of the source has run ahead of the
// group, and nobody will judge what is gone. Each offset counts once in a session. Other sessions do not count it,
// because the epoch begins behind it.
//
// The number is an upper bound, for nobody can tell any more whether a document was at an offset. What a session has
// read never counts, because it is committed. Markers of transactions, and the aborted records before them, are
// committed as well.
func (t *adviser) deleted(tp topicPartition, from, begins int64) {
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
