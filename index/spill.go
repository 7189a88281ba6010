package index

// spill is the lines of a table that its buckets spill over to. Lines are taken from the first page that has a free one, and
// a last page of which none is used is given back when the others have some to spare.
type spill struct {
	pages pages
	state []pageState
	lines int // used
	first int // no page before it has a free line
}

// pageState says which lines of a page are free: those that were given back, by their links, and those never used.
type pageState struct {
	free, fresh, used int
}

// take returns the link to a line.
func (s *spill) take() (link uint32) {
	for s.first < len(s.pages) && s.state[s.first].used == pageLines {
		s.first++
	}
	if s.first == len(s.pages) {
		s.pages.room(s.first * pageLines)
		s.state = append(s.state, pageState{})
	}
	p := &s.state[s.first]
	i := p.fresh
	if p.free > 0 {
		i = p.free - 1
		p.free = int(s.pages[s.first][i].link())
	} else {
		p.fresh++
	}
	p.used++
	s.lines++
	return uint32(s.first*pageLines+i) + 1
}

func (s *spill) line(link uint32) *line { return s.pages.at(int(link - 1)) }

// give takes a line back and returns what it was linked to.
func (s *spill) give(link uint32) (next uint32) {
	l := s.line(link)
	next = l.link()
	page, i := int(link-1)/pageLines, int(link-1)%pageLines
	p := &s.state[page]
	l[0] = uint32(p.free) << countBits
	p.free = i + 1
	p.used--
	s.lines--
	s.first = min(s.first, page)
	if n := len(s.pages) - 1; s.state[n].used == 0 && s.lines < n*pageLines*7/8 {
		s.pages[n] = nil
		s.pages, s.state = s.pages[:n], s.state[:n]
	}
	return next
}

// beyond says whether a line stands on a page that would not be needed if the lines stood close together, with some to spare.
func (s *spill) beyond(link uint32) bool {
	return int(link-1)/pageLines > (s.lines+s.lines/8)/pageLines
}
