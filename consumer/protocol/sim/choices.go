package sim

// choices makes every decision of a history: at random from a seed, or by a script of which each entry is one choice.
type choices struct {
	state  uint64
	script []option // nil: at random
	at     int      // in the script
	whole  bool     // the script is in force, and what goes beyond it is added to it
}

// option is one choice of so many that there were.
type option struct{ taken, of int }

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
	if c.whole {
		return c.scripted(k)
	}
	return int(c.next() >> 33 % uint64(k))
}

// chance is true num times out of den.
func (c *choices) chance(num, den int) bool {
	if c.whole {
		return c.scripted(2) == 1
	}
	return c.n(den) < num
}

func (c *choices) scripted(k int) int {
	if c.at == len(c.script) {
		c.script = append(c.script, option{of: k})
	}
	o := c.script[c.at]
	c.at++
	return o.taken
}
