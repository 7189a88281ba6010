package audit

import (
	"cmp"
	"maps"
	"slices"
)

// misfit is an output record that fits no pass which still lacked one when it was read.
type misfit struct {
	stream     *stream
	rec        *record
	source, at string
	why        string
}

// settle is the reckoning when everything has been read: what fits nothing stands in for an output that is lacking, and is
// different, or is one too many; and then what is still lacking is lost.
func (a *audit) settle(owed spans) {
	for _, m := range a.misfits {
		switch {
		case !m.stream.reached(m.rec.offset):
			a.report.found(Finding{Different, m.source, m.at, "no pass of the journal reaches so far back"})
		case m.stream.standIn(m.rec):
			a.report.found(Finding{Different, m.source, m.at, m.why})
		default:
			a.report.found(Finding{Doubled, m.source, m.at, "every pass has one already"})
		}
	}
	for _, s := range a.sorted() {
		for i := range s.records {
			if rec := &s.records[i]; rec.offset < owed[s.place].to {
				a.owes(s, rec)
			}
		}
	}
}

// owes finds each pass that lacks an output of a record. A partition without a pass has forwarded nothing.
func (a *audit) owes(s *stream, rec *record) {
	source := coordinates(s.topic, s.partition, rec.offset)
	if len(s.passes) == 0 {
		a.report.Records++
		a.report.found(Finding{Lost, source, "", "the journal never began its partition"})
		return
	}
	due := false
	for i, p := range s.passes {
		if !s.owed(i, rec.offset) {
			continue
		}
		due = true
		if !rec.out[i] && !s.borrow(i, rec) {
			a.report.found(Finding{Lost, source, "", "in no output; the journal " + p.says(rec.offset)})
		}
	}
	if due {
		a.report.Records++
	}
}

// sorted lists the source partitions in one order, so that two audits of the same miss the same.
func (a *audit) sorted() []*stream {
	return slices.SortedFunc(maps.Values(a.streams), func(s, t *stream) int {
		return cmp.Or(cmp.Compare(s.topic, t.topic), cmp.Compare(s.partition, t.partition))
	})
}
