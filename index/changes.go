package index

import "slices"

// changes is what changes of a segment's documents after they were indexed, by their place in it; a column ends where all
// that follow are zero. A capture takes the columns as they are, so that it copies nothing; the first change after it copies
// those of one segment.
type changes struct {
	copies   []uint32 // duplicates judged against a document
	dead     []bool   // it was forgotten
	captured bool
}

func (c *changes) own() {
	if c.captured {
		c.copies, c.dead, c.captured = slices.Clone(c.copies), slices.Clone(c.dead), false
	}
}

func (c *changes) copied(i int) uint32 { return column(c.copies, i) }
func (c *changes) isDead(i int) bool   { return column(c.dead, i) }

func (c *changes) setCopied(i int, copies uint32) {
	c.own()
	c.copies = reach(c.copies, i)
	c.copies[i] = copies
}

func (c *changes) kill(i int) {
	c.own()
	c.dead = reach(c.dead, i)
	c.dead[i] = true
}

func column[T any](of []T, i int) (v T) {
	if i < len(of) {
		v = of[i]
	}
	return v
}

// reach makes place i exist.
func reach[T any](of []T, i int) []T {
	if i < len(of) {
		return of
	}
	return slices.Grow(of, i+1-len(of))[:i+1]
}

// memory is what the columns take, in bytes.
func (c *changes) memory() int64 { return int64(4*cap(c.copies) + cap(c.dead)) }

// any says whether anything of a document changed.
func (c *changes) any(i int) bool { return c.copied(i) > 0 || c.isDead(i) }

// end is the place after the last document of which anything may have changed.
func (c *changes) end() int { return max(len(c.copies), len(c.dead)) }
