package index

import (
	"math"
	"slices"

	"github.com/unecho/unecho/index/entry"
)

// Partition is what a replica knows about a source partition.
type Partition struct {
	Epoch uint32
	Start int64 // source offset at which the epoch began
	Base  int64 // source offset below which everything is forwarded and committed
}

// partition is one row of the source table. Its number is its place in the table; rows are added in journal order.
type partition struct {
	source entry.Source
	name   string // topic name in the latest reposition
	among  int32  // number of partitions of the topic in the first reposition
	Partition
	held   []Verdict // ascending by offset, none below base
	fed    Fed
	filled FilledPart
	falls  []fall // ascending in both fields
}

// sources are the source partitions that the journal has named, in that order.
type sources struct {
	rows []*partition
	byID map[entry.Source]uint32
}

// fall says that the documents applied before a journal position died if their source offset is at least from.
type fall struct {
	before entry.Position
	from   int64
}

// find returns the place of offset in held, or where it would be inserted.
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

// raise moves base up and drops the held verdicts below it. It never moves base down.
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
func (p *partition) reposition(at entry.Position, r *Reposition) {
	from := min(r.Offset, p.Base)
	for n := len(p.falls); n > 0 && p.falls[n-1].from >= from; n-- {
		p.falls = p.falls[:n-1]
	}
	p.falls = append(p.falls, fall{before: at, from: from})
	p.name = r.Name
	p.Partition = Partition{Epoch: r.Epoch, Start: r.Offset, Base: r.Offset}
	p.held, p.fed = nil, Fed{}
}

// reached returns the offset below which everything is judged.
func (p *partition) reached() int64 {
	if n := len(p.held); n > 0 {
		return max(p.Base, p.held[n-1].Offset+1)
	}
	return p.Base
}

// wasFed says whether a document of this epoch was brought by a feed.
func (p *partition) wasFed(offset int64) bool { return offset >= p.Start && offset < p.fed.Through }

// fell says whether a document of this partition died in a reposition.
func (p *partition) fell(at entry.Position, offset int64) bool {
	for _, f := range p.falls {
		if at.Before(f.before) {
			return offset >= f.from // falls ascend, so the first later one is the lowest
		}
	}
	return false
}

// dropFalls drops the falls that concern no document applied at or after oldest.
func (p *partition) dropFalls(oldest entry.Position) {
	i := 0
	for i < len(p.falls) && !oldest.Before(p.falls[i].before) {
		i++
	}
	p.falls = slices.Delete(p.falls, 0, i)
}

// precedes says that the topic of p was deleted, and that q is of one that was made under its name since.
func (p *partition) precedes(q *partition) bool {
	return p.source.Partition == q.source.Partition && p.name == q.name && p.source.Topic != q.source.Topic
}

// known returns the number of a source partition that the journal has repositioned. One that only fills name is not
// known.
func (s *sources) known(source entry.Source) (number uint32, ok bool) {
	number, ok = s.byID[source]
	return number, ok && s.rows[number].Epoch > 0
}

// add adds a partition that the journal names.
func (s *sources) add(p *partition) {
	s.byID[p.source] = uint32(len(s.rows))
	s.rows = append(s.rows, p)
}

// named returns the numbers of the source partitions of a name. There are several if the topic was created again.
func (s *sources) named(topic string, partition int32) (numbers []uint32) {
	for i, p := range s.rows {
		if p.name == topic && p.source.Partition == partition {
			numbers = append(numbers, uint32(i))
		}
	}
	return numbers
}

// having returns those of them that may have the document at offset: none older than one that has judged it.
func (s *sources) having(topic string, partition int32, offset int64) []uint32 {
	numbers := s.named(topic, partition)
	for i, number := range slices.Backward(numbers) {
		if p := s.rows[number]; p.Epoch != 0 && offset < p.reached() {
			return numbers[i:]
		}
	}
	return numbers
}

// filledRow returns the number of a source partition that a fill brings. A partition that the journal does not know yet
// gets a row of epoch 0.
func (s *sources) filledRow(part *FillPart) uint32 {
	number, known := s.byID[part.Source]
	if !known {
		number = uint32(len(s.rows))
		s.add(&partition{source: part.Source, name: part.Name, filled: FilledPart{Place: math.MinInt64}})
	}
	return number
}
