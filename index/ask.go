package index

import "github.com/unecho/unecho/index/entry"

// Next is the journal offset that the replica applies next.
func (r *Replica) Next() int64 { return r.next }

// Hash is the running hash at Next.
func (r *Replica) Hash() uint64 { return uint64(r.hash) }

// Fingerprint is that of the settings that the replica works by, which stands in the header of each record.
func (r *Replica) Fingerprint() uint64 { return r.fingerprint }

// Settings is the canonical text that the journal was begun with, or nil before its first settings record.
func (r *Replica) Settings() []byte { return r.settings }

// Partition returns the epoch, start and base of a source partition; ok is false if the journal never repositioned it.
func (r *Replica) Partition(source entry.Source) (p Partition, ok bool) {
	number, ok := r.sources.known(source)
	if !ok {
		return Partition{}, false
	}
	return r.sources.rows[number].Partition, true
}

// Held returns the verdict of a document that was judged in the given epoch and is not known to be committed.
func (r *Replica) Held(source entry.Source, epoch uint32, offset int64) (Verdict, bool) {
	number, ok := r.sources.byID[source]
	if !ok || r.sources.rows[number].Epoch != epoch {
		return Verdict{}, false
	}
	p := r.sources.rows[number]
	i, ok := p.find(offset)
	if !ok {
		return Verdict{}, false
	}
	return p.held[i], true
}

// Stats returns the counters, and what the window holds now.
func (r *Replica) Stats() Stats {
	s := r.stats
	w := r.find.window.Stats()
	s.Documents, s.WindowBytes, s.Segments = r.find.window.Visible(), r.find.window.Bytes(), w.Segments
	s.Memory, s.Moved, s.MostMoved, s.Filed, s.FileBytes = w.Memory, w.Moved, w.MostMoved, w.Filed, w.FileBytes
	s.Blocks = w.Blocks
	s.Now, s.Confirmed = r.clocks.now(), r.confirmed
	if s.Documents > 0 {
		_, d, _ := r.find.window.Front()
		s.OldestApplied = d.Applied
	}
	s.Held, s.Requests = r.HeldVerdicts(), len(r.requests.queue)
	return s
}

// HeldVerdicts returns how many verdicts are not known to be committed.
func (r *Replica) HeldVerdicts() (n int) {
	for _, p := range r.sources.rows {
		n += len(p.held)
	}
	return n
}

// TopicPartitions returns how many partitions a topic had when the journal first named it; known is false if the
// journal never named it.
func (r *Replica) TopicPartitions(topic [16]byte) (n int32, known bool) {
	for _, p := range r.sources.rows {
		if p.source.Topic == topic && p.Epoch > 0 {
			return p.among, true
		}
	}
	return 0, false
}

// Await sets the journal offset that an empty replica applies next. It is for a journal whose head was trimmed, so that
// it does not begin at 0.
func (r *Replica) Await(offset int64) { r.next = offset }

// Confirmed returns the greatest journal offset at which the replica's own hash was confirmed: by a checkpoint, or by
// the snapshot it was restored from. Up to that offset another member had the same state, segments included. It is -1
// if there is none.
func (r *Replica) Confirmed() int64 { return r.confirmed }
