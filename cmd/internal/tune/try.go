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

// bar returns the least estimate of a duplicate, as the service has it.
func (s Setting) bar() eval.Bar {
	if s.ByDistance() {
		return eval.WithinDistance(s.Bits, s.Distance)
	}
	return eval.AtThreshold(tenThousandths(s.Threshold))
}

// sketch builds the sketch of a setting, and sets the bands and rows that were planned.
func (t *Tuner) sketch(s *Setting) (kind sketch.Sketch, err error) {
	scheme, err := sketch.SchemeOf(s.Sketch)
	if err != nil {
		return nil, err
	}
	p := sketch.Params{
		Weighted: t.Weighted, Threshold: s.Threshold, Recall: t.Recall, Slots: s.Slots, Bands: s.Bands, Rows: s.Rows,
		CodeBits: t.CodeBits,
		Bits:     s.Bits, Distance: s.Distance,
	}
	banding, err := scheme.Banding(p)
	if err != nil {
		return nil, err
	}
	p.Bands, p.Rows, s.Rows = banding.Bands, banding.Rows, banding.Rows
	if kind, err = scheme.New(p); err != nil {
		return nil, err
	}
	s.Bands = kind.Bands()
	return kind, nil
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
			Setting: s, Stage: stage.name, Score: stage.score, Matches: stage.score.TruePositives + stage.score.FalsePositives,
			Precision: stage.score.Precision(), Recall: stage.score.Recall(), F1: stage.score.F1(),
			ErrorMean: r.Error.Mean(), ErrorDeviation: r.Error.Deviation(),
			CandidatesPerDocument: float64(r.Met) / float64(max(1, f.about.Documents)),
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
