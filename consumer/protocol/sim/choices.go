package sim

import "slices"

// choices makes every decision of a history, from a seed. Where mishaps are placed they happen there, and nowhere else.
type choices struct {
	state  uint64
	placed bool
	at     []int // ascending: the mishaps that happen, of those that could
	could  int   // mishaps so far
}

func random(seed uint64) choices { return choices{state: seed} }

// next is SplitMix64 (Steele, Lea, Flood 2014).
func (c *choices) next() uint64 {
	c.state += 0x9e3779b97f4a7c15
	z := c.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// n chooses one of k.
func (c *choices) n(k int) int {
	if k <= 1 {
		return 0
	}
	return int(c.next() >> 33 % uint64(k))
}

// chance is true num times out of den.
func (c *choices) chance(num, den int) bool { return c.n(den) < num }

// unlucky is true once out of so often, or where a mishap is placed.
func (c *choices) unlucky(outOf int) bool {
	if !c.placed {
		return c.n(outOf) == 0
	}
	_, here := slices.BinarySearch(c.at, c.could)
	c.could++
	return here
}
