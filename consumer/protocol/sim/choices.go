package sim

// choices makes every decision of a history, from a seed.
type choices uint64

func random(seed uint64) choices { return choices(seed) }

// next is SplitMix64 (Steele, Lea, Flood 2014).
func (c *choices) next() uint64 {
	*c += 0x9e3779b97f4a7c15
	z := uint64(*c)
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
