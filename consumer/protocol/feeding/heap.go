package feeding

// The lanes that have a next entry are a binary heap. It is written out because every entry passes through it.

// before says whether the next entry of lane a has a lower place than that of lane b.
func (m *Merge) before(a, b int) bool {
	x, y := m.lanes[a].at, m.lanes[b].at
	return x < y || x == y && a < b
}

func (m *Merge) push(number int) {
	m.first = append(m.first, number)
	for i := len(m.first) - 1; i > 0; {
		above := (i - 1) / 2
		if !m.before(m.first[i], m.first[above]) {
			return
		}
		m.first[i], m.first[above] = m.first[above], m.first[i]
		i = above
	}
}

// pop takes out the first lane.
func (m *Merge) pop() {
	last := len(m.first) - 1
	m.first[0] = m.first[last]
	m.first = m.first[:last]
	m.sink(0)
}

// sink moves the lane at i, whose place has risen, to where it belongs.
func (m *Merge) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.first); child++ {
			if m.before(m.first[child], m.first[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		m.first[i], m.first[least] = m.first[least], m.first[i]
		i = least
	}
}
