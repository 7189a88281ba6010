package dedup

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/sketch"
)

// sketchPairs finds all pairs of sketches within a distance, in parts that may run at once.
type sketchPairs interface {
	Add(codes []byte)
	Rotated() bool
	Count() int           // of parts
	Comparisons() float64 // in all parts
	Steps() int64         // calls of goOn in all parts
	Pairs(part int, visit func(a, b, distance int), goOn func() bool)
}

type (
	rotatedPairs struct{ *sketch.Rotations }
	eachPair     struct{ *sketch.EachPair }
)

// Rotated says that fewer pairs are compared than there are.
func (rotatedPairs) Rotated() bool { return true }

// Rotated says that each is compared with each.
func (eachPair) Rotated() bool { return false }

// rotatedCost is how many times as long a comparison takes in a rotation, where hashes are sorted and lie apart
// (BenchmarkPairs of index/sketch).
const rotatedCost = 4

// newSketchPairs chooses the cheaper way: with n hashes, n x n / 2^(b+1) pairs are compared in a rotation by blocks of b
// bits.
func newSketchPairs(bits, distance int) (sketchPairs, error) {
	e, err := sketch.NewEachPair(bits, distance)
	if err != nil {
		return nil, err
	}
	blocks := float64(distance + 1)
	if distance > sketch.MostRotated(bits) || rotatedCost*blocks > math.Exp2(float64(bits)/blocks) {
		return eachPair{e}, nil
	}
	r, err := sketch.NewRotations(bits, distance)
	return rotatedPairs{r}, err
}

// Cost is what it takes to compare all sketches, known before it begins. To verify the pairs that are found comes on top.
type Cost struct {
	Sketches    int
	Rotations   int // 0 if each is compared with each
	Comparisons float64
	Time        time.Duration // at most
}

// trial is how many sketches are compared to know how long a comparison takes.
const trial = 4096

// Cost compares a few sketches like those of the documents, and says what all of them will take.
func (r *Rotations) Cost(workers int) (Cost, error) {
	c := Cost{Sketches: len(r.contents), Rotations: r.Count(), Comparisons: r.pairs.Comparisons()}
	few, err := newSketchPairs(r.params.Index.Similarity.Bits, r.params.Distance)
	if err != nil {
		return c, err
	}
	code := make([]byte, r.params.Index.Similarity.Bits/8)
	mixed := uint64(1)
	for range trial {
		for i := range code {
			mixed = mixed*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
			code[i] = byte(mixed >> 56)
		}
		few.Add(code)
	}
	began := time.Now()
	for part := range few.Count() {
		few.Pairs(part, func(_, _, _ int) {}, func() bool { return true })
	}
	each := float64(time.Since(began)) / few.Comparisons()
	c.Time = time.Duration(min(each*c.Comparisons/float64(workers), math.MaxInt64/2))
	return c, nil
}

// tell writes the cost for people.
func (c Cost) tell(out io.Writer, workers int) {
	how := "each with each"
	if c.Rotations > 0 {
		how = fmt.Sprintf("in %d rotations", c.Rotations)
	}
	least := c.Time.Round(time.Second)
	if least < time.Second {
		least = time.Second
	}
	fmt.Fprintf(out, "unecho: comparing %s sketches %s: %s, at most about %v on %s; pairs that are found are verified besides\n",
		terminal.Grouped(c.Sketches), how, terminal.Several(int(min(c.Comparisons, math.MaxInt64/2)), "comparison"), least,
		terminal.Several(workers, "core"))
}
