package journal

import "sync/atomic"

// Stats counts what an appender has appended.
type Stats struct {
	Records uint64
	Bytes   uint64
}

type appended struct {
	records atomic.Uint64
	bytes   atomic.Uint64
}

func (s *appended) add(n int) {
	s.records.Add(1)
	s.bytes.Add(uint64(n))
}

// Stats returns the counters.
func (a *Appender) Stats() Stats {
	return Stats{Records: a.stats.records.Load(), Bytes: a.stats.bytes.Load()}
}
