package index

import "github.com/unecho/unecho/index/window"

// repeat counts d as one more copy of a representative. It returns whether d comes through as unique, which it does if
// neither the representative nor another copy did for duplicates.remember.reemit_every.
func (j *judge) repeat(root *found, d *window.Document) (through bool) {
	now := j.find.clocks.now()
	root.place.SetCopies(root.place.Copies() + 1)
	if j.find.params.Refreshes() {
		root.place.Repeat(now)
	}
	if j.reemitEvery == 0 {
		return false
	}
	if last := j.find.emission(root); !last.Void && now-last.At < j.reemitEvery {
		return false
	}
	root.place.Emit(window.Emission{Set: true, At: now, Position: d.Position, Offset: d.Entry.Offset, Source: d.Source})
	return true
}

// emission returns the last document that came through among a representative and its copies. It is void if that
// document has died since.
func (x *finder) emission(root *found) window.Emission {
	m := root.place.Emission()
	if !m.Set {
		return window.Emission{
			Set: true, At: root.document.Applied, Position: root.document.Judged,
			Offset: root.document.Entry.Offset, Source: root.document.Source,
		}
	}
	m.Void = m.Void || x.sources.rows[m.Source].fell(m.Position, m.Offset)
	return m
}

// takeBack makes the emission of verdict v void, because its output refused the document.
func (j *judge) takeBack(v *Verdict) {
	if !v.Reemitted {
		return
	}
	if at, ok := j.find.window.Find(v.Match.Position); ok {
		if m := at.Emission(); m.Set && m.Position == v.Position {
			m.Void = true
			at.Emit(m)
		}
	}
}
