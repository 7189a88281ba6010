package index

import (
	"cmp"
	"math"
	"slices"
)

// tooLong says whether a bucket, which has spilled over because of document r, should be trimmed: it has more lines
// than one key as popular as a lookup can read needs, and three more.
//
// Finding that out reads all lines of the bucket, so it is done for one spill in 16 (asked). Of these, a bucket of more
// than 16 lines is trimmed for one spill in as many as it has lines, because it may be long for other reasons, and
// trimming would then not shorten it. So the cost per document does not grow with the length. The document's number
// decides which spills these are, so that members agree.
func (w *window) tooLong(band int, l *line, r ref) bool {
	lot := uint32(r) * 0x9e3779b1
	if lot >= math.MaxUint32/asked {
		return false
	}
	lines := w.tables[band].length(l)
	return lines > w.kept()/lineSlots+3 && lot <= math.MaxUint32/uint32(max(lines, asked))
}

// asked is the number of spills for each time the length of a bucket is read.
const asked = 16

// kept is how many references of a key a bucket keeps: all that a lookup may read, and one more to show that there are
// more.
func (w *window) kept() int { return w.most + min(rareReferences, w.most) + 1 }

// trim drops the references of a bucket that no lookup can meet any more: for each key, all but the newest kept().
// Older documents expire first, so a dropped reference would never be among the newest again. A bucket so stays short
// however popular a key is.
func (w *window) trim(band, bucket int) {
	t := &w.tables[band]
	t.items = t.gather(t.items[:0], bucket, w.span())
	newestFirst := func(a, b item) int { return cmp.Compare(b.ref, a.ref) }
	slices.SortFunc(t.items, func(a, b item) int { return cmp.Or(cmp.Compare(a.hash, b.hash), newestFirst(a, b)) })
	kept, hash, of := t.items[:0], uint32(0), 0
	for _, it := range t.items {
		if it.hash != hash {
			hash, of = it.hash, 0
		}
		if of++; of <= w.kept() {
			kept = append(kept, it)
		}
	}
	slices.SortFunc(kept, newestFirst)
	t.items = kept
	t.rewrite(bucket, t.items)
}
