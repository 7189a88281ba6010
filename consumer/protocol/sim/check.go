package sim

import (
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
)

// checkBase: base is never ahead of what is committed in its epoch (rule 2).
func (w *World) checkBase(f flight) {
	r, ok := f.record.(*index.Run)
	if !ok || r.Fingerprint != w.ours || r.Epoch == 0 || r.Epoch != f.part.epoch {
		return
	}
	if most := f.part.most[r.Epoch]; r.Base > most {
		w.bad("base %d of partition %d in epoch %d is ahead of what is committed, %d", r.Base, f.part.number, r.Epoch, most)
	}
}

// checkVerdict: nothing is a copy of itself or of the dead, or of what was neither unique nor came by a fill, and where
// nothing is forgotten no second one is unique.
func (w *World) checkVerdict(p *part, v *index.Verdict) {
	m := &v.Match
	if v.Matched() && m.Source == p.source && m.Offset == v.Offset {
		w.bad("%s is a copy of itself", p.name(v.Offset))
	}
	w.checkErased(p, v)
	known := !v.Matched() || m.Method == compare.Resent
	for i := range w.documents {
		d := &w.documents[i]
		known = known || d.position == m.Position
		switch {
		case v.Matched() && d.position == m.Position && d.dead:
			w.bad("%s is a copy of %s, which is dead", p.name(v.Offset), d.part.name(d.offset))
		case !v.Matched() && !w.bounded && !d.dead && d.content == v.Content:
			w.bad("%s is unique beside %s", p.name(v.Offset), d.part.name(d.offset))
		}
	}
	if !known {
		w.bad("%s is a copy of j%d/%d, which is nothing", p.name(v.Offset), m.Position.Offset, m.Position.Entry)
	}
}

// checkEffect: a replica does what the twin did, and is then where all others were.
func (w *World) checkEffect(m *member, l *logged, effect *index.Effect) {
	if !w.checkVerdicts("member %d", int64(m.number), l, effect.Judged) {
		return
	}
	switch hash := m.replica.Hash(); {
	case !l.hashed:
		l.hash, l.hashed = hash, true
	case l.hash != hash:
		w.bad("member %d has another hash after j%d than others had", m.number, l.at.Offset)
	}
	w.checkHeld(m)
	w.checkBounds(m)
	if l.at.Offset+1 == int64(len(w.journal)) {
		w.checkPartitions(m)
	}
}

// checkVerdicts: who applies a record comes to the verdicts of the twin.
func (w *World) checkVerdicts(who string, number int64, l *logged, verdicts []index.Verdict) bool {
	if len(verdicts) != len(l.verdicts) {
		w.bad(who+" judges %d documents at j%d, the twin %d", number, len(verdicts), l.at.Offset, len(l.verdicts))
		return false
	}
	for i := range verdicts {
		if verdicts[i] != l.verdicts[i] {
			w.bad(who+" at j%d: %s, the twin: %s", number, l.at.Offset, describeVerdict(&verdicts[i]),
				describeVerdict(&l.verdicts[i]))
			return false
		}
	}
	return true
}

// checkPartitions: a replica that has applied all knows the epochs and bases, and holds what was judged and is not
// known to be committed.
func (w *World) checkPartitions(m *member) {
	w.checkRoutes(m)
	w.checkReplicaFilled(m)
	for _, p := range w.parts {
		got, known := m.replica.Partition(p.source)
		if want := (index.Partition{Epoch: p.epoch, Start: p.start, Base: p.base}); got != want || known != (p.epoch > 0) {
			w.bad("member %d has partition %d as %+v, by the journal it is %+v", m.number, p.number, got, want)
			return
		}
		w.checkReplicaFed(m, p)
		for o := range int64(len(p.verdicts)) {
			want := p.given(o, p.epoch)
			got, held := m.replica.Held(p.source, p.epoch, o)
			if must := want != nil && o >= p.base; held != must {
				w.bad("member %d holds a verdict for %s: %v, by the journal: %v", m.number, p.name(o), held, must)
			} else if held && got.Forgotten != want.forgotten {
				w.bad("member %d holds %s as forgotten: %v, by the journal: %v", m.number, p.name(o), got.Forgotten, want.forgotten)
			}
		}
	}
}

// checkClaim: a checkpoint disagrees if, and only if, it is made up or this replica is wrong.
func (w *World) checkClaim(m *member, l *logged, c *index.Checkpoint, disputed *index.Divergence) {
	known := c.Offset > m.began || c.Offset == m.began && m.began > 0 // an empty replica has no hash of its beginning
	wrong := l.lie || m.sick >= 0 && c.Offset > m.sick
	switch {
	case disputed != nil && !wrong:
		w.bad("member %d disputes the true checkpoint j%d", m.number, l.at.Offset)
	case disputed == nil && wrong && known:
		w.bad("member %d agrees with the wrong checkpoint j%d", m.number, l.at.Offset)
	case disputed != nil && m.sick >= 0:
		w.act("divergence found")
		w.kill(m)
	case disputed != nil:
		w.act("lie found")
	}
}

// checkSnapshot: what is restored from the newest snapshot is what was captured.
func (w *World) checkSnapshot(hash uint64) {
	s := &w.snapshots[len(w.snapshots)-1]
	again, err := s.restore(w, nil)
	if err != nil {
		w.bad("restore j%d: %v", s.next, err)
		return
	}
	c := again.Capture()
	if !s.holds(&c) || again.Hash() != hash {
		w.bad("a replica restored at j%d is another one", s.next)
	}
}

// checkWait: what passes by itself is waited for; that a committed offset is below base or beyond the source does
// not, unless Kafka has lost it.
func (w *World) checkWait(sh *share) {
	if t := sh.takeover; !w.params.LoseOffsets || t.Decision.Reason != protocol.Below {
		w.bad("partition %d waits for reason %d, and nothing was lost: committed %+v, replica %+v", sh.part.number,
			t.Decision.Reason, t.Committed, t.Replica)
	}
	w.act("lost offsets")
}

// checkForwarded: every document comes out once in a pass, with the verdict that the journal gave it in the epoch.
func (w *World) checkForwarded(t *transaction, g *group) {
	p, a := g.part, g.Assignment
	p.committedIn(a.Epoch, g.End)
	if p.within != nil && g.End > p.within.To {
		w.bad("partition %d is committed to %d, and its range ends at %d", p.number, g.End, p.within.To)
	}
	for i := range g.documents {
		d := &g.documents[i]
		o := d.Entry.Offset
		p.outputs[o]++
		if p.outside(o) {
			w.bad("%s comes out, and is not of the range", p.name(o))
		}
		if t.log > p.reset {
			if p.allow[o] <= 0 {
				w.bad("%s comes out twice", p.name(o))
			}
			p.allow[o]--
			p.need[o] = 0
		}
		w.checkForm(g, d, g.forms[i])
	}
}

func (w *World) checkForm(g *group, d *protocol.Document, f form) {
	p, o := g.part, d.Entry.Offset
	v := p.given(o, g.Epoch)
	if d.Bypassed {
		w.checkBypassed(g, d, f)
		return
	}
	if v == nil && (f == asVerdict || f == asNothing) || v == nil && !w.rejects(d.Entry.Content) {
		w.bad("%s comes out without a verdict of epoch %d", p.name(o), g.Epoch)
		return
	}
	if w.refuses(d.Entry.Content, f) {
		w.bad("%s is committed in a form that its output refuses", p.name(o))
	}
	unasked := (v == nil || g.Bypasses) && w.leaves(d.Entry.Content) // what the journal says is not known in an outage
	late := p.torn && w.leaves(d.Entry.Content)                      // it may be told of what stood there before, meanwhile
	if f == asUnchecked && !unasked && !late || f == asRejected && unasked && !w.refuses(d.Entry.Content, asVerdict) {
		w.bad("%s comes out as form %d, and it is to be checked: %v", p.name(o), f, !unasked)
	}
	if f != asVerdict && f != asNothing {
		return
	}
	if got := d.Verdict; got != v.verdict {
		w.bad("%s comes out as %s, by the journal: %s", p.name(o), describeVerdict(&got), describeVerdict(&v.verdict))
	}
	if !d.Rejected && v.verdict.Content != d.Entry.Content {
		w.bad("%s comes out with the verdict of another document", p.name(o))
	}
	switch {
	case v.verdict.Unique() && f == asNothing:
		w.bad("%s is dropped, by the journal: %s", p.name(o), describeVerdict(&v.verdict))
	case v.verdict.Unique():
		p.uniques[o]++
		w.emit(d.Entry)
	case w.params.Drops:
		w.act("dropped")
	}
}

// checkEnd: when all has come to its end nothing is missing, and every live representative is there to be found.
func (w *World) checkEnd() {
	for _, p := range w.parts {
		for o, need := range p.need {
			if need > 0 {
				w.bad("%s never comes out", p.name(int64(o)))
			}
		}
	}
	for i := range w.documents {
		d := &w.documents[i]
		if !d.dead && !d.refused && !d.filled && d.part == w.parts[d.part.number] && !d.part.torn && d.part.uniques[d.offset] == 0 &&
			!d.part.untold[d.offset] {
			w.bad("%s can be matched and never was in unique", d.part.name(d.offset))
		}
	}
	w.checkRecorded()
	w.checkContents()
	w.checkRequests()
	w.checkProgress()
	w.checkFilled()
}

// checkReplicas: every replica that lives can go on to the end.
func (w *World) checkReplicas() {
	for _, m := range w.processes {
		for w.failure == "" && m.replica.Next() >= w.begin && m.behind(w) {
			w.apply(m)
			if !m.alive {
				return
			}
		}
	}
}

// checkContents: what has copies has been unique, and no oftener than people asked for it.
func (w *World) checkContents() {
	if w.bounded || w.params.Reemit > 0 || w.topics > 1 || w.params.Changes || w.params.Erasures {
		return
	}
	var uniques, outputs [256]int
	loose, most := false, 1
	for _, p := range w.parts {
		most += p.asked
		loose = loose || p.torn
		for o := range p.entries {
			loose = loose || p.skipped[o]
			uniques[p.entries[o].Content] += p.uniques[o]
			outputs[p.entries[o].Content] += p.outputs[o]
		}
	}
	for content := uint64(1); !loose && content <= uint64(w.params.Contents); content++ {
		switch n := uniques[content]; {
		case n > most+w.passes[content]:
			w.bad("content %c was unique %d times, offsets were set %d times", 'a'+rune(content)-1, n, most-1)
		case n == 0 && outputs[content] > 0 && w.params.Fills == 0 && !w.rejects(content) && !w.refuses(content, asVerdict):
			w.bad("content %c came out %d times, and never as unique", 'a'+rune(content)-1, outputs[content])
		}
	}
}
