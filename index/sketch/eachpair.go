package sketch

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// EachPair finds all pairs of SimHashes within a distance by comparing each with each, when all hashes are known. It is
// for distances beyond those that the blocks of a SimHashSketch guarantee. Hashes are compared a tile with a tile, so
// that both stay in the nearest cache.
//
// Pairs may be called for several parts at once.
type EachPair struct {
	distance  int
	wide      bool     // hashes have more than 64 bits
	low, high []uint64 // the first 64 bits of each hash; the others, if it is wide
}

// tile is how many hashes are compared with as many others: two tiles take at most 32 KiB.
const tile = 1024

// MostDistance is the largest distance that EachPair is for: a quarter of the bits. Unlike texts differ in
// half of them, so that beyond it a pair says little.
func MostDistance(size int) int { return size / 4 }

// NewEachPair builds an empty EachPair for hashes of 32, 64 or 128 bits.
func NewEachPair(size, distance int) (*EachPair, error) {
	if err := checkSize(size); err != nil {
		return nil, err
	}
	if most := MostDistance(size); distance < 0 || distance > most {
		return nil, fmt.Errorf("a distance of %d bits is impossible; with %d bits possible is 0 to %d", distance, size, most)
	}
	return &EachPair{distance: distance, wide: size > 64}, nil
}

// checkSize refuses hashes of an impossible size.
func checkSize(size int) error {
	if size != 32 && size != 64 && size != 128 {
		return fmt.Errorf("a simhash of %d bits is impossible; possible are 32, 64 and 128", size)
	}
	return nil
}

// Add adds the codes of the next sketch, as Sketch.AppendCodes gives them.
func (e *EachPair) Add(codes []byte) {
	w := wordsOf(codes)
	e.low = append(e.low, w[0])
	if e.wide {
		e.high = append(e.high, w[1])
	}
}

func wordsOf(codes []byte) words {
	var w [16]byte
	copy(w[:], codes)
	return words{binary.LittleEndian.Uint64(w[:8]), binary.LittleEndian.Uint64(w[8:])}
}

// Count returns the number of parts, which are as much work each: part i has a tile from the front and one from the back.
func (e *EachPair) Count() int { return (e.tiles() + 1) / 2 }

func (e *EachPair) tiles() int { return (len(e.low) + tile - 1) / tile }

// Comparisons returns how many pairs are compared.
func (e *EachPair) Comparisons() float64 {
	n := float64(len(e.low))
	return n * (n - 1) / 2
}

// Steps returns how often all parts call goOn, unless one is stopped.
func (e *EachPair) Steps() int64 {
	steps := int64(0)
	for i := range e.tiles() {
		steps += int64(i+1) * int64(min(tile, len(e.low)-i*tile))
	}
	return steps
}

// Pairs calls visit for each pair within the distance of a part, from 0. a and b are the numbers of the hashes in the
// order of Add, a before b. Most pairs of one b come together. Over all parts each pair comes once. goOn is called after
// a hash was compared with a tile; when it returns false, Pairs stops.
func (e *EachPair) Pairs(part int, visit func(a, b, distance int), goOn func() bool) {
	back := e.tiles() - 1 - part
	if e.rows(part, visit, goOn) && back != part {
		e.rows(back, visit, goOn)
	}
}

// rows compares the hashes of a tile with all before them.
func (e *EachPair) rows(own int, visit func(a, b, distance int), goOn func() bool) bool {
	first, end := own*tile, min((own+1)*tile, len(e.low))
	for from := 0; from <= first; from += tile {
		for b := first; b < end; b++ {
			if to := min(from+tile, b); e.wide {
				e.wideRow(from, to, b, visit)
			} else {
				e.row(from, to, b, visit)
			}
			if !goOn() {
				return false
			}
		}
	}
	return true
}

// row compares a hash with some of those before it.
func (e *EachPair) row(from, to, b int, visit func(a, b, distance int)) {
	own, most := e.low[b], e.distance
	for i, x := range e.low[from:to] {
		if d := bits.OnesCount64(x ^ own); d <= most {
			visit(from+i, b, d)
		}
	}
}

func (e *EachPair) wideRow(from, to, b int, visit func(a, b, distance int)) {
	low, high, most := e.low[b], e.high[b], e.distance
	others := e.high[from:to]
	for i, x := range e.low[from:to] {
		if d := bits.OnesCount64(x^low) + bits.OnesCount64(others[i]^high); d <= most {
			visit(from+i, b, d)
		}
	}
}
