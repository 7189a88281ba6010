package sim

// choices makes every decision of a history: from a seed, or as a script tells.
type choices struct {
	state uint64
	told  *script // nil: drawn
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
	switch {
	case k <= 1:
		return 0
	case c.told != nil:
		return c.told.next(k)
	}
	return int(c.next() >> 33 % uint64(k))
}

// chance is true num times out of den; a script has both, once.
func (c *choices) chance(num, den int) bool {
	if c.told != nil {
		return c.told.next(2) == 1
	}
	return c.n(den) < num
}

// unlucky is true once out of so often; a script has both, while mishaps of the class are left.
func (c *choices) unlucky(class Mishap, outOf int) bool {
	if c.told != nil {
		return c.told.spend(class)
	}
	return c.n(outOf) == 0
}
