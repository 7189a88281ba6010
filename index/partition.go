package index

import (
	"slices"

	"github.com/unecho/unecho/index/entry"
)

// Partition is what a replica knows of a source partition.
type Partition struct {
	Epoch uint32
	Start int64 // the offset at which the epoch began
	Base  int64 // all below is forwarded and committed
}

// partition is one row of the source table; its number is its place there, given in journal order.
type partition struct {
	source entry.Source
	name   string // the topic's, by the latest reposition
	among  int32  // partitions of the topic, by the first reposition
	Partition
	held  []Verdict // ascending by offset, none below base
	falls []fall    // ascending in both fields
}

// fall says that documents applied before a journal position died where their offset is at least from.
type fall struct {
	before Position
	from   int64
}

// find returns where offset is, or would be, in held.
func (p *partition) find(offset int64) (int, bool) {
	if n := len(p.held); n == 0 || p.held[n-1].Offset < offset {
		return n, false
	}
	return slices.BinarySearchFunc(p.held, offset, func(v Verdict, o int64) int {
		switch {
		case v.Offset < o:
			return -1
		case v.Offset > o:
			return 1
		}
		return 0
	})
}

func (p *partition) hold(v Verdict) {
	i, _ := p.find(v.Offset)
	p.held = slices.Insert(p.held, i, v)
}

// raise moves base up and drops the held verdicts below it.
func (p *partition) raise(base int64) {
	if base <= p.Base {
		return
	}
	p.Base = base
	i, _ := p.find(base)
	if i == len(p.held) {
		clear(p.held)
		p.held = p.held[:0]
		return
	}
	p.held = slices.Delete(p.held, 0, i)
}

// reposition begins an epoch and lets this partition's documents at or above min(offset, base) die, so that a replay is
// never judged against itself.
func (p *partition) reposition(at Position, r *Reposition) {
	from := min(r.Offset, p.Base)
	for n := len(p.falls); n > 0 && p.falls[n-1].from >= from; n-- {
		p.falls = p.falls[:n-1]
	}
	p.falls = append(p.falls, fall{before: at, from: from})
	p.name = r.Name
	p.Partition = Partition{Epoch: r.Epoch, Start: r.Offset, Base: r.Offset}
	p.held = nil
}

// fell says whether a document of this partition died in a reposition.
func (p *partition) fell(at Position, offset int64) bool {
	for _, f := range p.falls {
		if at.Before(f.before) {
			return offset >= f.from // falls ascend, so the first later one is the lowest
		}
	}
	return false
}

// settle drops the falls that can concern no document applied at or after oldest.
func (p *partition) settle(oldest Position) {
	i := 0
	for i < len(p.falls) && !oldest.Before(p.falls[i].before) {
		i++
	}
	p.falls = slices.Delete(p.falls, 0, i)
}
