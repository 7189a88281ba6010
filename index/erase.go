package index

import (
	"cmp"
	"slices"

	"github.com/unecho/unecho/index/entry"
)

// MostErased bounds the targets of an Erase. A record with more changes nothing. The bound keeps the time short in
// which a replica applies one record, and the memory low that it takes: each target may be in a segment of its own, and
// that segment is copied, or read from its file and kept until it is written again.
const MostErased = 16

// Erase lets the documents that were judged at Targets be dead, and overwrites what they were recognised by: evidence,
// digest, id and content hash. A verdict that is held stays as it is, so a document on its way out goes where it would have
// gone. Band keys, and the hashes of 27 bits of its
// fine keys, stay until the document leaves the window, because the tables are rebuilt from them.
type Erase struct {
	Header
	Targets []entry.Position
}

func (rec *Erase) apply(r *Replica, at Stamp) Effect {
	if len(rec.Targets) > MostErased {
		return Effect{}
	}
	r.clocks.appended(at.LogAppendTime, rec.Wall)
	r.stats.Erased = at.Offset + 1
	r.requests.erase(rec.Targets)
	r.find.window.Erase(rec.Targets, at.Offset)
	return Effect{Applied: true}
}

func (rec *Erase) fold(h running, _ *Replica) running {
	for _, t := range rec.Targets {
		h = h.mix(uint64(t.Offset)).mix(uint64(t.Entry))
	}
	return h
}

// SortTargets sorts targets by their place in the journal and drops those named twice. Erasing in this order touches
// each segment in one record, or in few.
func SortTargets(targets []entry.Position) []entry.Position {
	slices.SortFunc(targets, func(a, b entry.Position) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Entry, b.Entry))
	})
	return slices.Compact(targets)
}
