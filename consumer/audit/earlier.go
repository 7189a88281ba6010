package audit

import (
	"bytes"
	"math"

	"github.com/unecho/unecho/sink"
)

// Where a journal took the place of an earlier one, under other settings or because that was lost, the outputs hold what both
// decided. What the earlier one did is not known: its outputs are held against their source records, and counted on their own.

// began is the offset below which this journal may have decided nothing: its first pass starts there. Where a snapshot does not
// tell when that was, it is the base at the snapshot.
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

// setAside takes the outputs from a group that say that another index, or other settings, decided them, where this journal may
// have decided nothing.
func (a *audit) setAside(g *group) {
	if g.offset >= g.stream.began() {
		return
	}
	ours := a.common("", "")
	kept := g.claims[:0]
	for _, c := range g.claims {
		if foreign(c.headers, ours, sink.HeaderAlgorithm) || foreign(c.headers, ours, sink.HeaderIndex) {
			a.earlier(g)
			continue
		}
		kept = append(kept, c)
	}
	g.claims = kept
}

// foreign says that a header is there, and has another value than ours.
func foreign(got, ours headers, name string) bool {
	value, there := got[name]
	return there && !bytes.Equal(value, ours[name])
}

func (a *audit) earlier(g *group) {
	g.early++
	a.report.Earlier++
}
