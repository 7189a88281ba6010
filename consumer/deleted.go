package consumer

// deleted notes that a partition begins behind the first offset that is still to be read: retention of the source has run
// ahead of the group, and nobody will judge what is gone. The client goes on where the topic begins. Gaps in the offsets have
// other causes too, so only what lies before the beginning counts: an upper bound of the documents. Each offset counts once
// in a session.
func (s *session) deleted(tp topicPartition, from, begins int64) {
	s.mu.Lock()
	from = max(from, s.gone[tp.Source])
	if from < begins {
		s.gone[tp.Source] = begins
	}
	s.mu.Unlock()
	if from >= begins {
		return
	}
	s.counters.deleted.Add(uint64(begins - from))
	s.logger.Error().Str("topic", tp.Topic).Int32("partition", tp.Source.Partition).Int64("from", from).Int64("offset", begins).
		Int64("documents", begins-from).Msg("documents were deleted before they were read: going on where the topic begins")
}
