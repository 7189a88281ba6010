package sketch

// scale of a threshold: ten thousandths.
const scale = 10000

// Jaccard counts what two sorted sets share, and their union. The similarity is shared/union; two empty sets have no union,
// and are not similar (see AtLeast). Lists with repetitions count as multisets: what occurs twice here and three times there
// is shared twice and three times in the union.
func Jaccard(a, b []uint64) (shared, union int) {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		if x == y {
			shared++
		}
		if x <= y {
			i++
		}
		if y <= x {
			j++
		}
	}
	return shared, len(a) + len(b) - shared
}

// AtLeast says whether num/den reaches a threshold given in ten thousandths: in integers, so that every replica decides
// alike. Nothing over nothing reaches no threshold.
func AtLeast(num, den uint32, tenThousandths int) bool {
	if den == 0 {
		return false
	}
	return tenThousandths <= 0 || uint64(num)*scale >= uint64(tenThousandths)*uint64(den)
}
