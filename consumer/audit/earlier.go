package audit

import (
	"bytes"
	"math"
	"slices"
)

// Where a journal replaced an earlier one, because of other settings or because the earlier one was lost, the outputs
// hold the decisions of both. The decisions of the earlier one are not known, so its outputs are only compared with
// their source records, and are counted separately.

// began is the offset at which this journal's first pass starts. The journal may have decided nothing below it. If a
// snapshot does not tell where that pass started, began is the base at the snapshot.
func (s *stream) began() int64 {
	for i := range s.passes {
		switch p := &s.passes[i]; {
		case i == 0 && !p.unknown():
			return p.start
		case !p.unknown():
			return p.open
		}
	}
	return math.MaxInt64
}

// setAside removes those outputs from a group that name another index or other settings, where this journal may have
// decided nothing.
func (a *audit) setAside(g *group) {
	if g.offset >= g.stream.began() {
		return
	}
	ours := a.common("")
	kept := g.claims[:0]
	for _, c := range g.claims {
		if foreign(c.headers, ours, headerAlgorithm) || foreign(c.headers, ours, headerIndex) {
			a.earlier(g)
			continue
		}
		kept = append(kept, c)
	}
	g.claims = kept
	g.tales = slices.DeleteFunc(g.tales, func(c *claim) bool {
		return foreign(c.headers, ours, headerAlgorithm) || foreign(c.headers, ours, headerIndex)
	})
}

// foreign says whether a header is present and has another value than ours.
func foreign(got, ours headers, name string) bool {
	value, there := got[name]
	return there && !bytes.Equal(value, ours[name])
}

func (a *audit) earlier(g *group) {
	g.early++
	a.report.Earlier++
}
