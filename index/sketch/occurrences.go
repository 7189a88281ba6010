package sketch

import "slices"

// Occurrences turns a document's shingles, with repetitions, into a set that tells how often each occurs: the i-th occurrence
// of a shingle becomes an element of its own, the same in every document. The Jaccard similarity of two such sets is that of
// the multisets,
//
//	sum of min(occurrences in a, in b) / sum of max(occurrences in a, in b)
//
// which Jaccard also counts over two sorted lists with repetitions. As many elements as there are shingles are appended to
// dst; shingles stays as it is. The first occurrence of a shingle is the shingle itself.
func Occurrences(dst, shingles []uint64) []uint64 {
	from := len(dst)
	dst = append(dst, shingles...)
	set := dst[from:]
	slices.Sort(set)
	last, occurrence := uint64(0), uint64(0)
	for i, s := range set {
		if i > 0 && s == last {
			occurrence++
			set[i] = mix(s + occurrence*occurrenceSeed)
			continue
		}
		last, occurrence = s, 0
	}
	return dst
}
