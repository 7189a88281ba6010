package tune

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index/eval"
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
	f := &found{about: Source{Shingle: from.shingle, Hash: from.hash, Floor: slices.Min(t.Grid.Thresholds)}}
	var err error
	if f.sets, err = t.Sample.Sets(from.shingle, from.hash); err != nil {
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
