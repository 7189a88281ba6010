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

func (x *finder) near(f *found) Near {
	d := &f.document
	return Near{
		Source: x.sources.rows[d.Source].source, Offset: d.Entry.Offset, Position: d.Judged, ID: d.Entry.ID,
		Similarity: f.similarity, Method: f.method,
	}
}

func sortNear(all []Near) {
	slices.SortFunc(all, func(a, b Near) int {
		return cmp.Or(cmp.Compare(a.Position.Offset, b.Position.Offset), cmp.Compare(a.Position.Entry, b.Position.Entry))
	})
}
