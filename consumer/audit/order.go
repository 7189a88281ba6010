package audit

import (
	"fmt"

	"github.com/unecho/unecho/index/entry"
)

// track is a sequence that must keep its order: the outputs of one source partition in one output partition.
type track struct{ source, output entry.PartitionName }

// reach is how far a pass got in a track, in offsets of the output.
type reach struct {
	began       bool
	first, last int64
	source      int64 // offset of the source record whose output is the last one
}

// order checks the position of the output accounted to pass i, or of the record of verdicts about that. It must stand after the outputs of earlier source
// records in the same pass and in earlier passes, and before those in later passes.
func (a *audit) order(g *group, i int, c *claim) {
	t := track{g.stream.PartitionName, c.output}
	all := a.tracks[t]
	if all == nil {
		all = make([]reach, len(g.stream.passes))
		a.tracks[t] = all
	}
	what := ""
	for j := range all {
		switch r := &all[j]; {
		case !r.began || what != "":
		case j <= i && c.offset < r.last:
			what = "before " + coordinates(t.source.Topic, t.source.Partition, r.source)
		case j > i && c.offset > r.first:
			what = fmt.Sprintf("after outputs of pass %d, and belongs to pass %d", j+1, i+1)
		}
	}
	if what != "" {
		a.report.found(Finding{Misordered, g.source, c.at(), what})
	}
	r := &all[i]
	if !r.began {
		*r = reach{began: true, first: c.offset, last: c.offset, source: g.offset}
	}
	r.first = min(r.first, c.offset)
	if c.offset >= r.last {
		r.last, r.source = c.offset, g.offset
	}
}
