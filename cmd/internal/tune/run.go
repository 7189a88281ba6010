package tune

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
)

// Params say what is tried, and what for.
type Params struct {
	Grid       Grid
	Recall     float64 // that bands are planned for
	CodeBits   int
	KeyBytes   int
	By         string        // what the setting is recommended by: see Bys
	At         float64       // among those at this threshold, one of the grid
	Stage      string        // at which: Verified, or Estimate for a service that only estimates
	BruteForce bool          // compare each with each, too
	Budget     time.Duration // settings are tried in a random order until it is over; 0 tries all in theirs
	Seed       uint64        // of that order
	Workers    int
	Most       int // candidates of a setting, above which it is given up
}

// Shingler makes of a document the hashes of its shingles.
type Shingler func(dst []uint64, document []byte) []uint64

// A Tuner tries settings on documents.
type Tuner struct {
	Params
	Documents [][]byte
	// Shingler makes one for a shingle and a hash; each is used by one goroutine at a time.
	Shingler func(shingle, hash string) (Shingler, error)
	// Set sorts hashes and drops repetitions, in place.
	Set func([]uint64) []uint64
	// Progress is called, one call at a time, when a setting is done.
	Progress func(done, all int)
}

// steps of the histogram.
const steps = 20

// Run tries them all. It ends early with ctx, and when the budget is over: the report says what was not tried.
func (t *Tuner) Run(ctx context.Context) (*Report, error) {
	began := time.Now()
	if t.Budget > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, t.Budget)
		defer stop()
	}
	report := &Report{Documents: len(t.Documents), By: t.By, At: t.At, Skipped: []Skipped{}}
	done, all := 0, 0
	for _, from := range t.Grid.sources() {
		all += len(t.Grid.settings(from))
	}
	for _, from := range t.sources() {
		if err := t.source(ctx, from, report, func() { done++; t.Progress(done, all) }); err != nil {
			return nil, err
		}
	}
	report.Recommended = recommend(report.Rows, t.By, t.Stage, t.At)
	report.Seconds = time.Since(began).Seconds()
	return report, nil
}

// sources are in a random order under a budget, so that all kinds have their chance.
func (t *Tuner) sources() []source {
	all := t.Grid.sources()
	if t.Budget > 0 {
		r := rand.New(rand.NewPCG(t.Seed, 1))
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return all
}

func (t *Tuner) source(ctx context.Context, from source, report *Report, done func()) error {
	settings := t.Grid.settings(from)
	if ctx.Err() != nil {
		for _, s := range settings {
			report.Skipped = append(report.Skipped, Skipped{s, "the time was over"})
		}
		return nil
	}
	sets, err := t.sets(from)
	if err != nil {
		return err
	}
	truth, about := t.truth(from, sets)
	report.Sources = append(report.Sources, about)
	if t.Budget > 0 {
		r := rand.New(rand.NewPCG(t.Seed, 2))
		r.Shuffle(len(settings), func(i, j int) { settings[i], settings[j] = settings[j], settings[i] })
	}
	return t.settings(ctx, settings, truth, sets, report, done)
}

// settings tries them on all cores; the report has them in their order.
func (t *Tuner) settings(ctx context.Context, settings []Setting, truth *eval.Truth, sets [][]uint64, report *Report, done func()) error {
	type outcome struct {
		rows    []Row
		skipped []Skipped
	}
	outcomes := make([]outcome, len(settings))
	var group errgroup.Group
	group.SetLimit(t.Workers)
	var one sync.Mutex // done is called by one at a time
	for i, s := range settings {
		group.Go(func() (err error) {
			o := &outcomes[i]
			o.rows, o.skipped, err = t.try(ctx, s, truth, sets)
			one.Lock()
			defer one.Unlock()
			done()
			return err
		})
	}
	err := group.Wait()
	for _, o := range outcomes {
		report.Rows = append(report.Rows, o.rows...)
		report.Skipped = append(report.Skipped, o.skipped...)
	}
	return err
}

func (t *Tuner) sets(from source) ([][]uint64, error) {
	shingler, err := t.Shingler(from.shingle, from.hash)
	if err != nil {
		return nil, err
	}
	sets := make([][]uint64, len(t.Documents))
	var hashes []uint64
	for i, d := range t.Documents {
		hashes = t.Set(shingler(hashes[:0], d))
		sets[i] = slices.Clone(hashes)
	}
	return sets, nil
}

func (t *Tuner) truth(from source, sets [][]uint64) (*eval.Truth, Source) {
	about := Source{Shingle: from.shingle, Hash: from.hash, Floor: slices.Min(t.Grid.Thresholds)}
	for _, set := range sets {
		if len(set) > 0 {
			about.Documents++
		}
	}
	floor := tenThousandths(about.Floor)
	began := time.Now()
	pairs := eval.NewJoin(sets, floor).Pairs()
	about.JoinSeconds, about.Pairs = time.Since(began).Seconds(), len(pairs)
	if t.BruteForce {
		began = time.Now()
		all := eval.AllPairs(sets, floor)
		about.BruteForce = &Brute{time.Since(began).Seconds(), len(all), eval.Compare(pairs, all).TruePositives}
	}
	truth := eval.NewTruth(sets, pairs, floor)
	about.Histogram, about.Shingles = truth.Histogram(steps), truth.Shingles()
	return truth, about
}

func tenThousandths(threshold float64) int { return int(threshold*10000 + 0.5) }

// try tries one setting at its thresholds. A setting that is impossible, or whose time has not come, is skipped, with the
// reason.
func (t *Tuner) try(ctx context.Context, s Setting, truth *eval.Truth, sets [][]uint64) (rows []Row, skipped []Skipped, err error) {
	kind, why := t.sketch(ctx, &s)
	if why != "" {
		return nil, []Skipped{{s, why}}, nil
	}
	began := time.Now()
	trial := eval.NewTrial(kind, sets)
	signing := time.Since(began)
	for _, s.Threshold = range t.Grid.thresholds(s) {
		result, err := trial.Against(truth, tenThousandths(s.Threshold), t.Most)
		if errors.Is(err, eval.ErrCandidates) {
			return rows, append(skipped, Skipped{s, err.Error()}), nil
		}
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, t.rows(s, trial, truth, result, signing)...)
	}
	return rows, skipped, nil
}

// sketch makes a setting's sketch and completes the setting by what was planned, or says why there is none.
func (t *Tuner) sketch(ctx context.Context, s *Setting) (kind sketch.Sketch, why string) {
	err := ctx.Err()
	if err != nil {
		return nil, "the time was over"
	}
	if s.Sketch == SimHash {
		kind, err = sketch.NewSimHashSketch(sketch.SimHashParams{Bits: s.Bits, Distance: s.Distance})
	} else {
		kind, err = t.minHash(s)
	}
	if err != nil {
		return nil, err.Error()
	}
	s.Bands = kind.Bands()
	return kind, ""
}

func (t *Tuner) minHash(s *Setting) (sketch.Sketch, error) {
	banding := sketch.Banding{Bands: s.Bands, Rows: s.Rows}
	if s.Planned {
		var err error
		if banding, err = sketch.Plan(s.Threshold, s.Slots, t.Recall); err != nil {
			return nil, err
		}
		s.Rows = banding.Rows
	}
	return sketch.NewMinHashSketch(sketch.MinHashParams{Slots: s.Slots, Banding: banding, CodeBits: t.CodeBits})
}

// rows are the three stages of a setting. Their time is measured by passing them again, one after the other, so that looking
// up the truth does not count.
func (t *Tuner) rows(s Setting, trial *eval.Trial, truth *eval.Truth, r eval.Result, signing time.Duration) []Row {
	began := time.Now()
	trial.Candidates(func(_, _ int) bool { return true })
	finding := signing + time.Since(began)
	began = time.Now()
	trial.Candidates(func(a, b int) bool { trial.Estimate(a, b); return true })
	estimating := signing + time.Since(began)
	began = time.Now()
	trial.Candidates(func(a, b int) bool { truth.Compare(a, b); return true })
	verifying := signing + time.Since(began)
	sizes := t.sizes(s, trial, truth)
	rows := make([]Row, 0, len(sizes))
	for i, stage := range []struct {
		name  string
		score eval.Score
		took  time.Duration
	}{{Candidates, r.Candidates, finding}, {Estimate, r.Estimated, estimating}, {Verified, r.Verified, verifying}} {
		rows = append(rows, Row{
			Setting: s, Stage: stage.name, Score: stage.score, Matches: stage.score.TruePositives + stage.score.FalsePositives,
			Precision: stage.score.Precision(), Recall: stage.score.Recall(), F1: stage.score.F1(),
			ErrorMean: r.Error.Mean(), ErrorDeviation: r.Error.Deviation(),
			CandidatesPerDocument: float64(r.Met) / float64(max(1, truth.Documents())),
			BytesPerDocument:      sizes[i], IndexBytes: int64(sizes[i] * float64(truth.Documents())),
			Seconds: stage.took.Seconds(),
		})
	}
	return rows
}

// sizes is what the index takes for a document at each stage: without evidence, with codes, with shingles.
func (t *Tuner) sizes(s Setting, trial *eval.Trial, truth *eval.Truth) [3]float64 {
	p := index.DefaultParams()
	p.Similarity.KeyBytes = t.KeyBytes
	with := func(evidence int) float64 {
		return float64(index.EntryBytes(p, &entry.Entry{
			Kind: entry.Sketch, Keys: make([]byte, s.Bands*t.KeyBytes), Evidence: make([]byte, evidence),
		}))
	}
	return [3]float64{with(0), with(trial.CodeBytes()), with(int(truth.Shingles() * shingleBits / 8))}
}

// shingleBits is about what a shingle takes as evidence.
const shingleBits = 14
