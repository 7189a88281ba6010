package index

import (
	"encoding/binary"
	"math/bits"

	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/index/wire"
)

// A key is popular if many documents have it. What many documents have in common is boilerplate, and tells little about
// any of them. No further document is linked under a popular key. A document with a popular band key is linked under
// fine keys instead (compare.FineKey).
//
// Whether a key is popular decides where a document is linked, and where its copies are looked for. So it depends on
// the journal alone, and changes only at marks: each time popularEvery documents have entered. A key stays popular
// until all documents have left that entered while it was. So each document that enters with a popular key renews it.
// One that enters again chooses its links anew.
type popular struct {
	cells   []popularCell // nil while no key was popular
	size    int           // number of popular keys, as far as cells tell them apart
	pending []uint32      // keys that become popular at the next mark
	entered int           // documents since the last mark
	until   window.Ref    // a generation ends when all documents below have left
}

// popularCell has a bit for each of 64 keys.
type popularCell struct {
	recent uint64 // it was renewed in the generation at hand
	older  uint64 // it was in the one before
}

const (
	popularFrom  = 16 // documents under a key from which on it becomes popular
	popularEvery = 32
	popularKeys  = 1 << 20 // keys that are told apart, by the lowest bits of their tags
	cellKeys     = 64
)

func (p *popular) has(tag uint32) bool {
	if p.cells == nil {
		return false
	}
	c := &p.cells[tag%popularKeys/cellKeys]
	return (c.recent|c.older)>>(tag%cellKeys)&1 > 0
}

// use notes that a document enters which has a key that is popular, or is to become so. What is popular changes by that
// at the next mark only: a key that is popular already is renewed at once.
func (p *popular) use(tag uint32) {
	if p.has(tag) {
		c := &p.cells[tag%popularKeys/cellKeys]
		c.recent |= 1 << (tag % cellKeys)
		return
	}
	p.pending = append(p.pending, tag%popularKeys)
}

// enter notes that a document has entered the window.
func (p *popular) enter(w *window.Window) {
	if p.entered++; p.entered < popularEvery {
		return
	}
	p.entered = 0
	if w.Oldest() >= p.until {
		p.nextGeneration()
		p.until = w.End()
	}
	for _, key := range p.pending {
		p.set(key)
	}
	p.pending = p.pending[:0]
}

// nextGeneration ends the generation at hand: all documents have left that entered in the one before.
func (p *popular) nextGeneration() {
	p.size = 0
	for i := range p.cells {
		p.cells[i] = popularCell{older: p.cells[i].recent}
		p.size += bits.OnesCount64(p.cells[i].older)
	}
}

func (p *popular) set(key uint32) {
	if p.cells == nil {
		p.cells = make([]popularCell, popularKeys/cellKeys)
	}
	c, bit := &p.cells[key/cellKeys], uint64(1)<<(key%cellKeys)
	p.size += int(wire.Flag((c.recent|c.older)&bit == 0))
	c.recent |= bit
}

// visit visits the popular keys in ascending order.
func (p *popular) visit(visit func(key uint32, recent bool)) {
	for i := range p.cells {
		c := &p.cells[i]
		for m := c.recent | c.older; m != 0; m &= m - 1 {
			at := bits.TrailingZeros64(m)
			visit(uint32(i*cellKeys+at), c.recent>>at&1 > 0)
		}
	}
}

// append encodes the popular keys:
//
//	documents since the last mark · until · popular keys, each: how far behind the one before, doubled, plus 1 if it was
//	renewed in the generation at hand · pending keys
func (p *popular) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(p.entered))
	dst = binary.AppendUvarint(dst, uint64(p.until))
	dst = binary.AppendUvarint(dst, uint64(p.size))
	before := uint32(0)
	p.visit(func(key uint32, recent bool) {
		dst = binary.AppendUvarint(dst, uint64(key-before)<<1|uint64(wire.Flag(recent)))
		before = key
	})
	dst = binary.AppendUvarint(dst, uint64(len(p.pending)))
	for _, key := range p.pending {
		dst = binary.AppendUvarint(dst, uint64(key))
	}
	return dst
}

// read reads what append wrote, and returns false if that is not possible.
func (p *popular) read(rd *wire.Reader) bool {
	p.entered, p.until = int(rd.Uvarint()%popularEvery), window.Ref(rd.Uvarint())
	key := uint64(0)
	for n := rd.Count(1); n > 0; n-- {
		x := rd.Uvarint()
		if key += x >> 1; key >= popularKeys {
			return false
		}
		if p.set(uint32(key)); x&1 == 0 {
			c := &p.cells[key/cellKeys]
			c.older, c.recent = c.older|1<<(key%cellKeys), c.recent&^(1<<(key%cellKeys))
		}
	}
	for n := rd.Count(1); n > 0; n-- {
		key := rd.Uvarint()
		if key >= popularKeys {
			return false
		}
		p.pending = append(p.pending, uint32(key))
	}
	return !rd.Short() && p.until.Possible()
}
