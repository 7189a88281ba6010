package index

// emission is the last copy of a representative that came through as unique. Until there is one, it is the representative
// itself, since it was judged.
type emission struct {
	at       int64    // stream time
	position Position // where the copy was judged
	offset   int64    // in its source partition
	source   uint32   // number of that partition
	set      bool
	void     bool // its output refused it, or it fell before its representative entered again: the next copy comes through
}

// repeat counts one more copy of a representative: the entry d. It says whether that copy comes through
// as unique: when none of its kind did for window.reemit_every.
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

// emission is the last of a kind that came through; it is void if it died since.
func (r *Replica) emission(root *found) emission {
	m := root.segment.changes.emission(root.i)
	if !m.set {
		return emission{set: true, at: root.document.applied, position: root.document.judged, offset: root.document.entry.Offset, source: root.document.source}
	}
	m.void = m.void || r.partitions[m.source].fell(m.position, m.offset)
	return m
}

// takeBack makes an emission void that its output refused.
func (r *Replica) takeBack(v *Verdict) {
	if !v.Reemitted {
		return
	}
	if s, i, ok := r.window.find(v.Match.Position); ok {
		if m := s.changes.emission(i); m.set && m.position == v.Position {
			m.void = true
			s.changes.emit(i, m)
		}
	}
}
