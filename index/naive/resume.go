package naive

import (
	"slices"

	"github.com/unecho/unecho/index"
)

// Resume returns a twin that continues from a replica's state, such as one restored from a snapshot. settings and
// fingerprint are as in New. The twin copies what the replica keeps.
func Resume(p index.Params, settings []byte, fingerprint uint64, from *index.Replica) *Twin {
	t := New(p, settings, fingerprint)
	c := from.Contents()
	if t.settled = c.Settings != nil; t.settled {
		if t.begin(c.Settings); c.Bounds.Number > 0 && t.bind(c.Bounds) {
			t.narrowing = c.Narrowing
		}
	}
	t.arrival, t.event, t.fed = c.Arrival, c.Event, c.FedEntries
	t.filled, t.filledLast = c.Filled, c.FilledLast
	for i := range c.Partitions {
		row := &c.Partitions[i]
		own := t.partition(row.Source)
		own.name, own.epoch, own.start, own.base = row.Topic, row.Epoch, row.Start, row.Base
		own.known, own.fed, own.filled = row.Epoch > 0, c.Fed[i], c.FilledParts[i]
		for _, v := range c.Held[i] {
			own.held[v.Offset] = v
		}
	}
	for _, a := range c.Requests {
		t.requests = append(t.requests, &request{
			hash: a.Request, source: a.Source, at: a.At, time: a.Time, id: a.ID, copies: uint64(a.Copies), verdict: a.Verdict,
		})
	}
	t.remember(from)
	t.popular = popular{cells: map[uint32]int{}, pending: c.Popular.Pending, entered: c.Popular.Entered}
	for cell, left := range c.Popular.Keys {
		t.popular.cells[cell] = left
	}
	t.popular.until = t.window.place + 1 - len(t.window.documents) + c.Popular.Until
	return t
}

// linked returns the keys under which a remembered document is found.
func (t *Twin) linked(m *index.Remembered) (under []bandKey) {
	own := t.keys(&m.Entry)
	for _, k := range own {
		if !slices.Contains(m.Absent, k.band) {
			under = append(under, k)
		}
	}
	for _, tag := range m.Fine {
		under = append(under, bandKey{band: t.fineBand(tag, len(own)), tag: tag})
	}
	return under
}

// remember fills the window. A copy may stand before its representative, if that entered again.
func (t *Twin) remember(from *index.Replica) {
	byNumber := map[uint64]*document{}
	roots := map[*document]uint64{}
	from.Each(func(m *index.Remembered) {
		d := &document{
			source: m.Source, entry: m.Entry.Clone(), position: m.Judged,
			bytes: index.EntryBytes(t.params, &m.Entry) + index.FineBytes(len(m.Fine)), under: t.linked(m), fine: len(m.Fine),
			entered: m.Entered, dead: m.Dead, copies: m.Copies + 1, repeated: m.Repeated, last: m.Last,
			emission: emission{
				source: m.Emission.Source, offset: m.Emission.Offset, position: m.Emission.Position, at: m.Emission.At,
				void: m.Emission.Void,
			},
		}
		if d.root = d; m.RootLeft {
			d.root = &document{} // not in the window, so its copies are no longer matched
		} else if m.Root != m.Number {
			roots[d] = m.Root
		}
		byNumber[m.Number] = d
		t.enter(d)
	})
	for d, number := range roots {
		d.root = byNumber[number]
	}
}
