package sketch

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Banding groups slots into bands of rows: two documents are candidates if all rows of any band are equal.
type Banding struct {
	Bands int
	Rows  int
}

// String returns a text such as "18 bands of 7 rows".
func (b Banding) String() string { return plural(b.Bands, "band") + " of " + plural(b.Rows, "row") }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Validate refuses values that make no Banding, or more bands and rows than slots.
func (b Banding) Validate(slots int) error {
	switch {
	case b.Bands < 1 || b.Rows < 1:
		return fmt.Errorf("%v are impossible: both are planned, or both are set, such as 16 bands of 8 rows", b)
	case b.Rows > slots || b.Bands > slots:
		return fmt.Errorf("%v do not fit into %d slots; possible is 1 row in %d bands to %d rows in 1 band", b, slots, slots, slots)
	case b.Bands*b.Rows > slots:
		return fmt.Errorf("%v need %d slots, have %d; possible are %s, or %s",
			b, b.Bands*b.Rows, slots, plural(slots/b.Rows, "band"), plural(slots/b.Bands, "row"))
	}
	return nil
}

// Probability returns the probability that two documents with the Jaccard similarity j become candidates:
// 1-(1-j^rows)^bands.
func (b Banding) Probability(j float64) float64 { return 1 - power(1-power(j, b.Rows), b.Bands) }

// power multiplies n times. Unlike math.Pow, it yields the same bits on every processor, because the conversion forbids
// fused instructions. So all members reach the same plan.
func power(x float64, n int) float64 {
	p := 1.0
	for range n {
		p = float64(p * x)
	}
	return p
}

// AppendKeys appends the key of each band, width bytes (4 to 8) in little endian. A key is the low bytes of a hash of
// the band's rows, its number and scope. Keys of different bands or scopes are equal only by chance. values must hold
// at least Bands x Rows slots; the first ones are used.
func (b Banding) AppendKeys(dst []byte, values []uint64, scope uint64, width int) []byte {
	dst = slices.Grow(dst, b.Bands*width+8)
	hash := Mix(scope + bandSeed)
	for band := range b.Bands {
		sum := hash + uint64(band)
		for _, v := range values[band*b.Rows : (band+1)*b.Rows] {
			sum = sum*rowFactor + v
		}
		dst = binary.LittleEndian.AppendUint64(dst, Mix(sum))[:len(dst)+width]
	}
	return dst
}
