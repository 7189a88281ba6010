package explain

import (
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// judge judges documents in their order, as `unecho dedup` does.
type judge struct {
	series *index.Series
	next   int64
}

// Judged is what became of a document among those before it.
type Judged struct {
	index.Verdict
	Name   string
	Bounds []string // settings that left out documents of which it may be a copy
}

// kept says whether later documents are compared with it.
func (j *Judged) kept(p index.Params) bool { return j.Unique() || p.Duplicates.CompareCopies }

func newJudge(p index.Params) (*judge, error) {
	series, err := index.NewSeries(p, 0, nil)
	return &judge{series: series}, err
}

func (j *judge) add(name string, e entry.Entry) (Judged, error) {
	e.Offset, e.ID = j.next, []byte(name)
	j.next++
	before := j.series.Replica().Stats().Cuts
	verdicts, err := j.series.Judge([]entry.Entry{e})
	if err != nil {
		return Judged{}, err
	}
	return Judged{verdicts[0], name, j.series.Replica().Stats().Cuts.Since(before).Hit()}, nil
}

// alone judges two documents, of which nothing came before.
func alone(p index.Params, a, b entry.Entry) (both [2]Judged, err error) {
	j, err := newJudge(p)
	if err != nil {
		return both, err
	}
	if both[0], err = j.add("A", a); err == nil {
		both[1], err = j.add("B", b)
	}
	return both, err
}
