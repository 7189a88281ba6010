package session

// shout logs which records of a batch were rejected unread, once they are committed.
func (s *Session) shout(b *batch) {
	for i := range b.groups {
		g := &b.groups[i]
		var n, first, last int64
		for k := range g.items {
			if it := &g.items[k]; it.withheld != nil {
				if n++; n == 1 {
					first = it.record.Offset
				}
				last = it.record.Offset
			}
		}
		if n == 0 {
			continue
		}
		s.Logger.Error().Str("topic", g.Assignment.Topic).Int32("partition", g.Assignment.Source.Partition).
			Int64("offset", first).Int64("last_offset", last).Int64("documents", n).
			Msg("a batch takes more than source.max_batch_bytes when unpacked: its documents are rejected without their values")
	}
}
