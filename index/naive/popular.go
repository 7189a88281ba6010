package naive

import "maps"

// popular are the keys that many documents have, by the lowest 20 bits of their tags. Each time 32 documents have
// entered, what was noted since counts.
type popular struct {
	cells   map[uint32]int // for how many generations a key stays popular
	pending []uint32
	entered int
	until   int // a generation ends when all documents have left that are at places before it
}

func (p *popular) has(tag uint32) bool { return p.cells[tag%(1<<20)] > 0 }

// use notes that a document enters with a key that is popular, or becomes so at the next mark.
func (p *popular) use(tag uint32) {
	if cell := tag % (1 << 20); p.has(tag) {
		p.cells[cell] = 2
	} else {
		p.pending = append(p.pending, cell)
	}
}

// noteEntered notes that the document that was looked up last has entered the window.
func (t *Twin) noteEntered() {
	p, q := &t.popular, &t.window
	for _, tag := range t.looked.popular {
		p.use(tag)
	}
	if t.looked.fine > 0 {
		t.stats.Fine++
	}
	if p.entered++; p.entered < 32 {
		return
	}
	p.entered = 0
	end := q.place + 1
	oldest := end
	if len(q.documents) > 0 {
		oldest = q.documents[0].place
	}
	if oldest >= p.until {
		for cell := range p.cells {
			p.cells[cell]--
		}
		maps.DeleteFunc(p.cells, func(_ uint32, left int) bool { return left == 0 })
		p.until = end
	}
	for _, cell := range p.pending {
		p.cells[cell] = 2
	}
	p.pending = nil
}
