package tune

import (
	"context"
	"slices"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
)

// try tries one setting at its thresholds. An impossible setting, or one for which no time is left, is skipped, with
// the reason.
func (t *Tuner) try(ctx context.Context, s Setting, f *found) (rows []Row, skipped []Skipped, err error) {
	if over(ctx) {
		return nil, t.skipped(s, t.stopped()), nil
	}
	p, err := t.plan(&s)
	if err != nil {
		return nil, t.skipped(s, err.Error()), nil // what is impossible is part of the report
	}
	began := time.Now()
	entries, err := t.Sample.Sign(p)
	if err != nil {
		return nil, nil, err
	}
	signing := time.Since(began)
	for _, s.Threshold = range t.Grid.thresholds(s) {
		if over(ctx) {
			return rows, t.skipped(s, t.stopped(), rows...), nil
		}
		began, p.Duplicates.Threshold = time.Now(), s.Threshold
		verdicts, stats, err := index.JudgeAll(p, entries)
		if err != nil {
			return nil, nil, err
		}
		row := t.row(s, f, verdicts)
		row.Seconds = (signing + time.Since(began)).Seconds()
		t.weigh(&row, p, entries, stats)
		rows = append(rows, row)
	}
	return rows, nil, nil
}

// plan returns the settings of a service that has the setting, and sets the bands and rows that were planned for it.
func (t *Tuner) plan(s *Setting) (index.Params, error) {
	p, err := t.service(s).Planned()
	if err != nil {
		return p, err
	}
	scheme, q, err := p.Duplicates.Scheme()
	if err != nil {
		return p, err
	}
	banding, err := scheme.Banding(q)
	if err != nil {
		return p, err
	}
	p.Duplicates.Bands, p.Duplicates.Rows = banding.Bands, banding.Rows
	kind, err := p.Duplicates.NewSketch()
	if err != nil {
		return p, err
	}
	s.Bands, s.Rows = kind.Bands(), banding.Rows
	if !s.ByDistance() {
		s.Slots = q.Slots
	}
	return p, nil
}

// service returns the configured settings with those of a setting.
func (t *Tuner) service(s *Setting) index.Params {
	p := t.Judge
	q := &p.Duplicates
	q.Threshold, q.Shingle, q.Hash, q.Method = s.Threshold, s.Shingle, s.Hash, s.Sketch
	q.Slots, q.Bands, q.Rows, q.Bits, q.Distance = s.Slots, s.Bands, s.Rows, s.Bits, s.Distance
	q.Plan = index.DefaultParams().Duplicates.Plan
	return p
}

func (t *Tuner) row(s Setting, f *found, verdicts []index.Verdict) Row {
	copies := make(eval.Copies, len(verdicts))
	for i := range verdicts {
		copies[i] = verdicts[i].CopyOf()
	}
	var all []eval.Standing
	if t.Labels != nil {
		all = copies.ByClusters(f.known)
	} else {
		all = copies.ByPairs(eval.Reaching(f.pairs, tenThousandths(s.Threshold)))
	}
	row := Row{Setting: s, Figures: newFigures(eval.Count(all))}
	for i, of := range copies {
		if of >= 0 && slices.Equal(f.sets[of], f.sets[i]) {
			all[i] = eval.Standing{}
		}
	}
	row.Near = newFigures(eval.Count(all))
	if s.Rows > 0 {
		row.Curve = sketch.Banding{Bands: s.Bands, Rows: s.Rows}.Probability(s.Threshold)
	}
	return row
}

// weigh sets what the setting costs. The window of the service is larger than the sample, and so are the unlike documents
// that one meets there, up to those that are read.
func (t *Tuner) weigh(row *Row, p index.Params, entries []entry.Entry, stats index.Stats) {
	documents, size := 0, int64(0)
	for i := range entries {
		if e := &entries[i]; !e.Empty() {
			documents++
			size += index.EntryBytes(p, e)
		}
	}
	some := float64(max(1, documents))
	met := stats.Candidates + stats.Unverified + stats.Dropped
	load := p.Load()
	unlike := 2 * float64(met-min(met, stats.Duplicate)) / some * float64(load.Documents) / some
	row.CostNanoseconds = sketch.CostOf(sketch.Banding{Bands: row.Bands, Rows: row.Rows}, min(unlike, float64(load.Read))).Sum()
	row.UniqueCut, row.CandidatesPerDocument = stats.UniqueCut, float64(stats.Candidates)/some
	row.BytesPerDocument, row.IndexBytes = float64(size)/some, size
}
