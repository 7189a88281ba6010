package columnar

import (
	"encoding/binary"
	"math/bits"
)

// padding is how many values a page may have behind those that it says: writers fill up the last groups of eight, and
// parquet-mr writes up to 63 of these at once.
const padding = 63 * 8

// runs goes through values in the hybrid of runs and packed groups (Encodings.md, "RLE/Bit-Packing Hybrid").
type runs struct {
	data  []byte
	width int // bits of a value
}

// run is some values: n times one, or packed ones.
type run struct {
	n      int
	value  uint32
	packed []byte // nil for one
}

// next returns the next run. A packed one at the end may lack bytes, as some writers leave out zeros: then missing says
// how many.
func (r *runs) next() (of run, missing int, err error) {
	head, n := binary.Uvarint(r.data)
	if n <= 0 || head>>1 > mostValues {
		return of, 0, damaged("a run in a page has no length, or one of %d values", head>>1)
	}
	r.data = r.data[n:]
	if of.n = int(head >> 1); of.n == 0 {
		return of, 0, nil
	}
	if head&1 == 0 {
		size := (r.width + 7) / 8
		if size > len(r.data) {
			return of, 0, damaged("a run in a page has no value")
		}
		for i, b := range r.data[:size] {
			of.value |= uint32(b) << (8 * i)
		}
		r.data = r.data[size:]
		return of, 0, nil
	}
	size := of.n * r.width
	of.n *= 8
	of.packed = r.data[:min(size, len(r.data))]
	r.data = r.data[len(of.packed):]
	return of, size - len(of.packed), nil
}

// count returns how many values there are, and how many bytes are missing. There are not many more than the page says, and
// each of these is below a number.
func (r *runs) count(values, below int) (n, missing int, err error) {
	for len(r.data) > 0 {
		var of run
		if of, missing, err = r.next(); err != nil {
			return 0, 0, err
		}
		within := min(of.n, values-min(n, values))
		if n += of.n; n > values+padding {
			return 0, 0, damaged("a page has %d values, and runs of more", values)
		}
		if most := of.greatest(within, r.width, below); within > 0 && most >= uint64(below) {
			return 0, 0, damaged("a value is entry %d of %d, from 0", most, below)
		}
	}
	return n, missing, nil
}

// greatest returns the greatest of the first values, or 0 if none can be as great as that.
func (of run) greatest(values, width, below int) (most uint64) {
	switch {
	case uint64(1)<<width <= uint64(below):
		return 0
	case of.packed == nil:
		return uint64(of.value)
	}
	for i := range values {
		at := i * width
		if at/8 >= len(of.packed) { // zeros that are missing
			break
		}
		var eight [8]byte
		copy(eight[:], of.packed[at/8:])
		most = max(most, binary.LittleEndian.Uint64(eight[:])>>(at%8)&(1<<width-1))
	}
	return most
}

// countMost returns how many of the values are the largest level. What is behind them is padding.
func (r *runs) countMost(values int, most byte) (n int, err error) {
	seen := 0
	for len(r.data) > 0 {
		of, missing, err := r.next()
		if err != nil {
			return 0, err
		}
		within := min(of.n, values-min(seen, values))
		if seen += of.n; seen > values+padding || missing > 0 {
			return 0, damaged("a page has %d values, and other runs of levels", values)
		}
		switch {
		case of.packed != nil:
			n += countPacked(of.packed, within, r.width, most)
		case of.value == uint32(most):
			n += within
		}
	}
	if seen < values {
		return 0, damaged("a page has %d values, and levels of %d", values, seen)
	}
	return n, nil
}

// countPacked counts values of up to eight bits.
func countPacked(packed []byte, values, width int, most byte) (n int) {
	if width == 1 {
		whole := values / 8
		for _, b := range packed[:whole] {
			n += bits.OnesCount8(b)
		}
		if rest := values % 8; rest > 0 {
			n += bits.OnesCount8(packed[whole] << (8 - rest))
		}
		return n
	}
	for i := range values {
		at := i * width
		two := uint(packed[at/8])
		if at/8+1 < len(packed) {
			two |= uint(packed[at/8+1]) << 8
		}
		if byte(two>>(at%8))&(1<<width-1) == most {
			n++
		}
	}
	return n
}
