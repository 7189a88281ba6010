package sim

import (
	"github.com/unecho/unecho/index"
)

// stepPerson has somebody, or Kafka itself, do to offsets and topics what is done to them while nobody is in the group.
func (w *World) stepPerson() bool {
	p := &w.params
	at := w.parts[w.n(len(w.parts))]
	kind := w.n(6)
	if ![]bool{p.SetOffsets, p.DeleteOffsets, p.LoseOffsets, p.LoseTail, p.Recreate && w.topics < 3, p.DeleteHead}[kind] {
		return false
	}
	switch kind {
	case 3:
		return w.loseTail(at)
	case 5:
		return w.deleteHead(at)
	}
	if w.groupEmpty() {
		return w.changeOffsets(kind, at)
	}
	if !w.chance(1, 3) {
		return false
	}
	w.empty()
	return true
}

func (w *World) changeOffsets(kind int, at *part) bool {
	switch kind {
	case 0:
		return w.setOffset(at)
	case 1:
		return w.deleteOffset(at)
	case 2:
		return w.loseOffset(at)
	}
	return w.recreate()
}

// empty has the group lose all sessions by their time-out. Their processes may live on.
func (w *World) empty() {
	for i := range w.slots {
		w.slots[i].joined = nil
	}
	w.generation++
	for _, p := range w.parts {
		p.owner = -1
	}
	w.note("the group loses all its members")
}

func (w *World) setOffset(p *part) bool {
	to := int64(w.n(int(p.visible) + 1))
	w.commits++
	p.committed = commit{offset: to, log: w.commits}
	p.reset, p.set = w.commits, true
	p.asked++
	for o := range p.entries {
		switch {
		case p.gap(int64(o)) || p.outside(int64(o)):
		case int64(o) >= max(to, p.begin):
			p.need[o], p.allow[o] = 1, 1
		default:
			p.skipped[o] = p.skipped[o] || p.outputs[o] == 0
			p.need[o], p.allow[o] = 0, 0
		}
	}
	w.act("offset set")
	w.note("somebody sets %d.p%d to %d", p.source.Topic[0], p.number, to)
	return true
}

// deleteOffset deletes a committed offset: what was committed beyond base comes out again.
func (w *World) deleteOffset(p *part) bool {
	c := p.committed.read()
	if c.Offset < 0 || w.unstable(p) {
		return false
	}
	anything := p.set || !c.Ours || c.Epoch != p.epoch
	for o := range p.entries {
		if p.gap(int64(o)) || p.outside(int64(o)) || !anything && int64(o) < p.base {
			continue
		}
		p.allow[o] = 1
		if anything || p.outputs[o] > 0 {
			p.need[o] = 0
		}
	}
	w.commits++
	p.committed = commit{offset: -1, log: w.commits}
	p.asked++
	p.set = p.set || anything
	w.act("offset deleted")
	w.note("the offset of %d.p%d expires", p.source.Topic[0], p.number)
	return true
}

// loseOffset takes a committed offset back to an earlier one of its epoch.
func (w *World) loseOffset(p *part) bool {
	c := p.committed.read()
	if !c.Ours || c.Offset <= c.Start || c.Epoch != p.epoch || w.unstable(p) {
		return false
	}
	to := c.Start + int64(w.n(int(c.Offset-c.Start)))
	for o := max(to, p.base); o < c.Offset; o++ {
		if !p.gap(o) && !p.outside(o) {
			p.allow[o] = 1
		}
	}
	if w.chance(1, 2) { // somebody's announcement is still on its way
		late := &index.Run{Header: w.header(), Source: p.source, Epoch: c.Epoch, Base: c.Offset}
		w.post(late, p, w.late())
	}
	w.commits++
	p.committed = commit{offset: to, metadata: p.committed.metadata, log: w.commits}
	p.asked++
	w.act("offset lost")
	w.note("Kafka loses commits of %d.p%d: %d in place of %d", p.source.Topic[0], p.number, to, c.Offset)
	return true
}

// loseTail puts other documents where none was committed.
func (w *World) loseTail(p *part) bool {
	if w.unstable(p) || p.committed.offset < 0 || p.committed.offset >= p.visible {
		return false
	}
	from := p.committed.offset + int64(w.n(int(p.visible-p.committed.offset)))
	for o := from; o < p.visible; o++ {
		if !p.gap(o) {
			p.entries[o] = w.document(o)
		}
	}
	p.torn = true
	w.act("tail lost")
	w.note("the source loses %d.p%d from %d on, and gets others", p.source.Topic[0], p.number, from)
	return true
}

// deleteHead has retention delete documents, read or not.
func (w *World) deleteHead(p *part) bool {
	if p.begin >= p.visible {
		return false
	}
	p.begin += 1 + int64(w.n(int(min(5, p.visible-p.begin))))
	for o := range p.begin {
		if !p.gap(o) {
			if w.plan == nil {
				p.need[o] = 0
			}
			p.skipped[o] = p.skipped[o] || p.outputs[o] == 0
		}
	}
	p.trimmed++
	w.act("head deleted")
	w.note("retention deletes %d.p%d below %d", p.source.Topic[0], p.number, p.begin)
	return true
}

func (w *World) recreate() bool {
	for _, s := range w.sessions {
		for i := range s.shares {
			s.revoke(i)
		}
		s.outside, s.shares = true, make([]*share, len(w.parts))
	}
	w.createTopic()
	for i := range w.slots {
		clear(w.slots[i].moved)
	}
	w.act("recreated")
	w.note("the source topic is created anew")
	return true
}

// stepKill kills a process, or only gives it up: it lives on and nobody counts on it.
func (w *World) stepKill() bool {
	m := w.members[w.n(len(w.members))]
	if m == nil || !m.alive || !w.up(m.number) {
		return false
	}
	if w.chance(1, 3) {
		w.members[m.number] = nil
		w.act("given up")
		w.note("member %d hangs, and is given up", m.number)
		return true
	}
	w.members[m.number] = nil
	w.kill(m)
	w.act("killed")
	return true
}

func (w *World) stepStart() bool {
	i := w.n(len(w.members))
	if w.up(i) {
		return false
	}
	w.startMember(i)
	return true
}
