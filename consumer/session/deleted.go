package session

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/protocol"
)

// allDeleted notes what retention deleted, with the commits that say so to whoever is given the partitions next. Without an
// answer they may have taken effect.
func (s *Session) allDeleted(begun []*protocol.Takeover, err error) {
	var refused *kerr.Error
	if errors.As(err, &refused) {
		return
	}
	for _, t := range begun {
		if t.Decision.Reason == protocol.Deleted {
			s.deleted(t.TopicPartition, t.Committed.Offset, t.Decision.Offset)
		}
	}
}

// deleted notes that a partition begins behind what was committed: retention of the source has run ahead of the group, and
// nobody will judge what is gone. Each offset counts once in a session, and the epoch that begins behind it keeps others from
// counting it.
//
// What is gone may have been no document, which nobody can tell any more: the number is an upper bound. What a session could
// read, the markers of transactions and what was aborted before them too, is committed when it was read, and never counts.
func (s *Session) deleted(tp topicPartition, from, begins int64) {
	s.mu.Lock()
	from = max(from, s.gone[tp.Source])
	s.gone[tp.Source] = max(from, begins)
	s.mu.Unlock()
	if from >= begins {
		return
	}
	s.Counters.Deleted.Add(uint64(begins - from))
	s.Logger.Error().Str("topic", tp.Topic).Int32("partition", tp.Source.Partition).Int64("from", from).Int64("offset", begins).
		Int64("at_most", begins-from).Msg("documents were deleted before they were read: going on where the topic begins")
}
