package sketch

// scale is the denominator of a threshold: ten thousandths.
const scale = 10000

// Jaccard counts the elements that two sorted sets share, and those of their union. The similarity is shared/union; two
// empty sets have no union and are not similar (see AtLeast). Lists with repetitions count as multisets: an element
// that occurs twice in one and three times in the other counts twice as shared and three times in the union.
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

// AtLeast says whether num/den reaches a threshold given in ten thousandths. It computes in integers, so that every
// replica decides alike. 0/0 reaches no threshold.
func AtLeast(num, den uint32, tenThousandths int) bool {
	if den == 0 {
		return false
	}
	return tenThousandths <= 0 || uint64(num)*scale >= uint64(tenThousandths)*uint64(den)
}
