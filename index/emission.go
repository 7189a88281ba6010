package index

// emission is the last copy of a representative that came through as unique. Until a copy does, it is the
// representative itself.
type emission struct {
	at       int64    // ms of stream time
	position Position // journal position at which the copy was judged
	offset   int64    // in its source partition
	source   uint32   // number of that partition
	set      bool
	// its output refused it, or it fell before its representative entered again; the next copy then comes through
	void bool
}

// repeat counts d as one more copy of a representative. It returns whether d comes through as unique, which it does if
// neither the representative nor another copy did for window.reemit_every.
func (r *Replica) repeat(root *found, d *document) (through bool) {
	now := r.clocks.now()
	c := &root.segment.changes
	c.setCopied(root.i, c.copied(root.i)+1)
	if r.params.Refreshes() {
		c.repeat(root.i, now)
	}
	if r.reemitEvery == 0 {
		return false
	}
	if last := r.emission(root); !last.void && now-last.at < r.reemitEvery {
		return false
	}
	c.emit(root.i, emission{set: true, at: now, position: d.position, offset: d.entry.Offset, source: d.source})
	return true
}

// emission returns the last document that came through among a representative and its copies. It is void if that
// document has died since.
func (r *Replica) emission(root *found) emission {
	m := root.segment.changes.emission(root.i)
	if !m.set {
		return emission{
			set: true, at: root.document.applied, position: root.document.judged,
			offset: root.document.entry.Offset, source: root.document.source,
		}
	}
	m.void = m.void || r.partitions[m.source].fell(m.position, m.offset)
	return m
}

// takeBack makes the emission of verdict v void, because its output refused the document.
func (r *Replica) takeBack(v *Verdict) {
	if !v.Reemitted {
		return
	}
	if s, i, ok := r.find(v.Match.Position); ok {
		if m := s.changes.emission(i); m.set && m.position == v.Position {
			m.void = true
			s.changes.emit(i, m)
		}
	}
}
