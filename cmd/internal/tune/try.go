package tune

import (
	"context"
	"errors"
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
	kind, err := t.sketch(&s)
	if err != nil {
		return nil, t.skipped(s, err.Error()), nil // what is impossible is part of the report
	}
	began := time.Now()
	trial := eval.NewTrial(kind, f.sets, nil)
	signing := time.Since(began)
	for _, s.Threshold = range t.Grid.thresholds(s) {
		if over(ctx) {
			return rows, t.skipped(s, t.stopped(), rows...), nil
		}
		result, err := trial.Against(f.truth, tenThousandths(s.Threshold), s.bar(), t.Most)
		if errors.Is(err, eval.ErrCandidates) {
			return rows, t.skipped(s, err.Error(), rows...), nil
		}
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, t.rows(s, trial, f, result, signing)...)
	}
	return rows, nil, nil
}

// curve returns the share of the pairs at the threshold that become candidates; 0 without rows.
func (s Setting) curve() float64 {
	if s.Rows == 0 {
		return 0
	}
	return sketch.Banding{Bands: s.Bands, Rows: s.Rows}.Probability(s.Threshold)
}

// bar returns the least estimate of a duplicate, as the service has it.
func (s Setting) bar() eval.Bar {
	if s.ByDistance() {
		return eval.WithinDistance(s.Bits, s.Distance)
	}
	return eval.AtThreshold(tenThousandths(s.Threshold))
}

// sketch builds the sketch of a setting, and sets the bands and rows that were planned.
func (t *Tuner) sketch(s *Setting) (kind sketch.Sketch, err error) {
	planned, err := t.service(s).Planned()
	if err != nil {
		return nil, err
	}
	scheme, p, err := planned.Similarity.Scheme()
	if err != nil {
		return nil, err
	}
	banding, err := scheme.Banding(p)
	if err != nil {
		return nil, err
	}
	p.Bands, p.Rows = banding.Bands, banding.Rows
	if kind, err = scheme.New(p); err != nil {
		return nil, err
	}
	s.Bands, s.Rows = kind.Bands(), banding.Rows
	if !s.ByDistance() {
		s.Slots = p.Slots
	}
	return kind, nil
}

// service returns the settings of a service that has the setting.
func (t *Tuner) service(s *Setting) index.Params {
	p := index.DefaultParams()
	q := &p.Similarity
	q.Threshold, q.Shingle, q.Sketch, q.Slots, q.Bands, q.Rows = s.Threshold, s.Shingle, s.Sketch, s.Slots, s.Bands, s.Rows
	q.Bits, q.Distance = s.Bits, s.Distance
	q.Recall, q.CodeBits, q.KeyBytes, q.Weighted = t.Recall, t.CodeBits, t.KeyBytes, t.Weighted
	if t.Stage == Estimate {
		q.Verify = "estimate"
	}
	p.Window = t.Window
	return p
}

// cost returns what a document would cost the service, ns: its window is larger than the sample, and so are the unlike
// documents that one meets, up to those that are read.
func (t *Tuner) cost(s *Setting, r *eval.Result, documents int) float64 {
	p := t.service(s)
	unlike := 2 * float64(r.Met-r.Candidates.TruePositives) / float64(max(1, documents))
	load := p.Load()
	unlike = min(unlike*float64(load.Documents)/float64(max(1, documents)), float64(load.Read))
	return sketch.CostOf(sketch.Banding{Bands: s.Bands, Rows: s.Rows}, unlike).Sum()
}

// rows returns the three stages of a setting. Their time is measured by running them again one after the other, so that
// looking up the truth is not included.
func (t *Tuner) rows(s Setting, trial *eval.Trial, f *found, r eval.Result, signing time.Duration) []Row {
	sizes := t.sizes(s, trial, f)
	rows := make([]Row, 0, len(sizes))
	for i, stage := range []struct {
		name  string
		score eval.Score
		pass  func(a, b int)
	}{
		{Candidates, r.Candidates, func(_, _ int) {}},
		{Estimate, r.Estimated, func(a, b int) { trial.Estimate(a, b) }},
		{Verified, r.Verified, func(a, b int) { f.truth.Compare(a, b) }},
	} {
		began := time.Now()
		trial.Candidates(func(a, b int) bool { stage.pass(a, b); return true })
		rows = append(rows, Row{
			Setting: s, Stage: stage.name, Figures: newFigures(stage.score), Curve: s.curve(),
			Matches: stage.score.TruePositives + stage.score.FalsePositives, Near: newFigures(stage.score.Without(r.Identical)),
			ErrorMean: r.Error.Mean(), ErrorDeviation: r.Error.Deviation(),
			CandidatesPerDocument: float64(r.Met) / float64(max(1, f.about.Documents)),
			CostNanoseconds:       t.cost(&s, &r, f.about.Documents),
			BytesPerDocument:      sizes[i], IndexBytes: int64(sizes[i] * float64(f.about.Documents)),
			Seconds: (signing + time.Since(began)).Seconds(),
		})
	}
	return rows
}

// sizes returns the bytes that the index takes per document at each stage: without evidence, with codes, with the
// evidence for exact comparison.
func (t *Tuner) sizes(s Setting, trial *eval.Trial, f *found) [3]float64 {
	p := index.DefaultParams()
	p.Similarity.KeyBytes = t.KeyBytes
	with := func(evidence int) float64 {
		return float64(index.EntryBytes(p, &entry.Entry{
			Kind: entry.Sketch, Keys: make([]byte, s.Bands*t.KeyBytes), Evidence: make([]byte, evidence),
		}))
	}
	return [3]float64{with(0), with(trial.CodeBytes()), with(int(f.evidence))}
}
