package tune

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// found is the truth about the sample under one shingle and hash.
type found struct {
	sets  [][]uint64
	pairs []eval.Pair // all from the lowest threshold on
	known []int       // with labels, the cluster of each document that they make
	about Source
}

// steps of the histogram.
const steps = 20

// over says whether the time is spent. That is no error: the report says what was not tried.
func over(ctx context.Context) bool { return ctx.Err() != nil }

// find returns the truth. If there are more than MostPairs pairs it returns eval.ErrPairs, and if ctx is done its
// error.
func (t *Tuner) find(ctx context.Context, from source) (*found, error) {
	if over(ctx) {
		return nil, ctx.Err()
	}
	t.Progress(from.String()+": shingles", 0, -1)
	f := &found{about: Source{Shingle: from.shingle, Hash: from.hash, Ignores: from.ignores, Floor: slices.Min(t.Grid.Thresholds)}}
	var err error
	if f.sets, err = t.Sample.Sets(from); err != nil {
		return nil, err
	}
	shingles := 0
	for _, set := range f.sets {
		if len(set) > 0 {
			shingles += len(set)
			f.about.sizes = append(f.about.sizes, len(set))
		}
	}
	f.about.Documents = len(f.about.sizes)
	f.about.Shingles = float64(shingles) / float64(max(1, f.about.Documents))
	began := time.Now()
	if f.pairs, err = t.join(ctx, f.sets, from); err != nil {
		return nil, err
	}
	f.about.JoinSeconds, f.about.Pairs = time.Since(began).Seconds(), len(f.pairs)
	if t.Labels != nil {
		clusters := eval.NewClusters(len(f.sets))
		for _, p := range t.Labels {
			clusters.Join(p.A, p.B)
		}
		f.known = clusters.Roots()
	}
	for _, p := range f.pairs {
		if p.Identical() {
			f.about.Identical++
		}
	}
	for _, p := range eval.Reaching(f.pairs, tenThousandths(t.At)) {
		f.about.at = append(f.about.at, uint64(p.A)<<32|uint64(p.B))
	}
	f.about.At = len(f.about.at)
	f.about.Histogram = eval.Histogram(f.pairs, steps)
	return f, nil
}

// join finds all pairs from the lowest threshold on, on all cores.
func (t *Tuner) join(ctx context.Context, sets [][]uint64, from source) ([]eval.Pair, error) {
	if t.Judge.Duplicates.Weighted {
		distinct := make([][]uint64, len(sets))
		for i, set := range sets {
			distinct[i] = eval.Distinct(set)
		}
		sets = distinct
	}
	return t.gather(ctx, from.String()+": exact join", eval.NewJoin(sets, tenThousandths(slices.Min(t.Grid.Thresholds))))
}

// atOnce is how many documents a goroutine takes at a time.
const atOnce = 256

// gather returns the pairs of all documents, sorted. Later documents cost more, so goroutines take documents as they
// become free.
func (t *Tuner) gather(ctx context.Context, what string, join *eval.Join) ([]eval.Pair, error) {
	var (
		n           = join.Len()
		group       errgroup.Group
		next, count atomic.Int64
		mu          sync.Mutex
		pairs       []eval.Pair
	)
	for range t.Workers {
		group.Go(func() error {
			probe := join.NewProbe()
			var own []eval.Pair
			for first := int(next.Add(atOnce)) - atOnce; first < n; first = int(next.Add(atOnce)) - atOnce {
				for i := first; i < min(n, first+atOnce); i++ {
					before := len(own)
					own = probe.Append(own, i)
					if count.Add(int64(len(own)-before)) > int64(t.MostPairs) {
						return eval.ErrPairs
					}
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				mu.Lock()
				t.Progress(what, min(n, first+atOnce), n)
				mu.Unlock()
			}
			mu.Lock()
			defer mu.Unlock()
			pairs = append(pairs, own...)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	eval.SortPairs(pairs)
	return pairs, nil
}

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
	if !s.Ignores {
		q.Ignore, q.Ignored = "", text.Ignored{}
	}
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
