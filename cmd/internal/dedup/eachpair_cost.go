package dedup

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/sketch"
)

// Cost is what it takes to compare all sketches, known before it begins. To verify the pairs that are found comes on top.
type Cost struct {
	Sketches    int
	Comparisons float64
	Time        time.Duration // at most
}

// trial is how many sketches are compared to know how long a comparison takes.
const trial = 4096

// Cost compares a few sketches like those of the documents, and says what all of them will take.
func (p *EachPair) Cost(workers int) (Cost, error) {
	c := Cost{Sketches: len(p.contents), Comparisons: p.pairs.Comparisons()}
	few, err := sketch.NewEachPair(p.params.Index.Duplicates.Bits, p.params.Distance)
	if err != nil {
		return c, err
	}
	code := make([]byte, p.params.Index.Duplicates.Bits/8)
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

// print writes the cost for people.
func (c Cost) print(out io.Writer, workers int) {
	least := c.Time.Round(time.Second)
	if least < time.Second {
		least = time.Second
	}
	fmt.Fprintf(out, "unecho: comparing %s sketches each with each: %s, at most about %v on %s; pairs that are found are verified besides\n",
		terminal.Grouped(c.Sketches), terminal.Several(int(min(c.Comparisons, math.MaxInt64/2)), "comparison"), least,
		terminal.Several(workers, "core"))
}
