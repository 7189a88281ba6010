package window

// spill holds the lines of a table that its buckets spill over to. New lines come from the first page that has a free
// one. The last page is given back when none of its lines is used and the other pages have some to spare.
type spill struct {
	pages pages
	state []pageState
	lines int // number of lines in use
	first int // index of a page; no page before it has a free line
}

// pageState tracks the free lines of a page. free is the first line that was given back, + 1, and each of these links
// to the next; 0 ends the list. Lines from fresh on were never used. used is the number of lines in use.
type pageState struct {
	free, fresh, used int
}

// take returns the link (line number + 1) to a free line.
func (s *spill) take() (link uint32) {
	for s.first < len(s.pages) && s.state[s.first].used == pageLines {
		s.first++
	}
	if s.first == len(s.pages) {
		s.pages.extend(s.first * pageLines)
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

// give takes a line back and returns the link that it held.
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

// beyond says whether a line is on a page that would not be needed if the used lines stood close together, with an
// eighth to spare.
func (s *spill) beyond(link uint32) bool { return int(link-1)/pageLines > s.needed() }

// loose says whether there is such a page.
func (s *spill) loose() bool { return len(s.pages)-1 > s.needed() }

// needed returns the index of the last page that is needed.
func (s *spill) needed() int { return (s.lines + s.lines/8) / pageLines }
