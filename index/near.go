package index

import (
	"cmp"
	"slices"

	"github.com/unecho/unecho/index/entry"
)

// Near is a document of the window that is similar to a given entry.
type Near struct {
	Source     entry.Source
	Offset     int64    // in the source partition
	Position   Position // where it was judged in the journal
	ID         []byte   // the document's id; it points into the window
	Similarity Similarity
	Method     Method
}

// Near appends every document of the window that is at least as similar to e as the threshold, in the order in which
// they were judged. Unlike Lookup it returns not only representatives, but also copies, if index.keep: all keeps them.
// Like Lookup it changes nothing, must not run at the same time as another call, and costs no more than judging e. What
// it appends is valid until the next record is applied.
func (r *Replica) Near(dst []Near, e *entry.Entry) []Near {
	if e.Empty() || len(e.Keys) != r.keys {
		return dst
	}
	before := r.stats
	defer func() { r.stats = before }()
	from := len(dst)
	for _, f := range r.all(e) {
		d := &f.document
		dst = append(dst, Near{
			Source: r.partitions[d.source].source, Offset: d.entry.Offset, Position: d.judged, ID: d.entry.ID,
			Similarity: f.similarity, Method: f.method,
		})
	}
	slices.SortFunc(dst[from:], func(a, b Near) int {
		return cmp.Or(cmp.Compare(a.Position.Offset, b.Position.Offset), cmp.Compare(a.Position.Entry, b.Position.Entry))
	})
	return dst
}
