package text

// GiveBack releases the memory that grew with the documents: a text may take up to a hundred times its own bytes. The
// tables stay.
func (n *Normalizer) GiveBack() {
	n.canonical, n.letters, n.page, n.links.text = nil, nil, nil, nil
	n.last.giveBack()
	if n.first != nil {
		n.first.giveBack()
	}
	if n.speller != nil {
		n.speller.number, n.speller.out = nil, nil
	}
}

func (m *mapper) giveBack() {
	for _, c := range []*canon{m.single, m.whole} {
		c.valid, c.seen, c.folded, c.composed, c.bare = nil, nil, nil, nil, nil
	}
}
