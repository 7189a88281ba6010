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
	sets     [][]uint64
	truth    *eval.Truth
	evidence float64 // bytes of a document
	about    Source
}

// steps of the histogram.
const steps = 20

// over says that there is no time left. It is no error: the report says what was not tried.
func over(ctx context.Context) bool { return ctx.Err() != nil }

// find finds it; nil if ctx was done before.
func (t *Tuner) find(ctx context.Context, from source) (*found, error) {
	if over(ctx) {
		return nil, nil
	}
	t.Progress(from.String()+": shingles", 0, 0)
	f := &found{about: Source{Shingle: from.shingle, Hash: from.hash, Floor: slices.Min(t.Grid.Thresholds)}}
	var err error
	if f.sets, err = t.Sample.Sets(from.shingle, from.hash); err != nil {
		return nil, err
	}
	if f.evidence, err = t.Sample.Evidence(from.shingle, from.hash); err != nil {
		return nil, err
	}
	for _, set := range f.sets {
		if len(set) > 0 {
			f.about.Documents++
		}
	}
	began := time.Now()
	pairs, done := t.join(ctx, f.sets, from)
	if !done {
		return nil, nil
	}
	f.about.JoinSeconds, f.about.Pairs = time.Since(began).Seconds(), len(pairs)
	if t.BruteForce {
		if f.about.BruteForce, done = t.bruteForce(ctx, f.sets, from, pairs); !done {
			return nil, nil
		}
	}
	f.truth = eval.NewTruth(f.sets, pairs)
	f.about.Histogram, f.about.Shingles = f.truth.Histogram(steps), f.truth.Shingles()
	return f, nil
}

// join finds all pairs from the lowest threshold on, on all cores.
func (t *Tuner) join(ctx context.Context, sets [][]uint64, from source) (pairs []eval.Pair, done bool) {
	join := eval.NewJoin(sets, tenThousandths(slices.Min(t.Grid.Thresholds)))
	return t.gather(ctx, from.String()+": exact join", join.Len(), func() func([]eval.Pair, int) []eval.Pair {
		return join.NewProbe().Append
	})
}

func (t *Tuner) bruteForce(ctx context.Context, sets [][]uint64, from source, joined []eval.Pair) (brute *Brute, done bool) {
	began := time.Now()
	floor := tenThousandths(slices.Min(t.Grid.Thresholds))
	all, done := t.gather(ctx, from.String()+": each with each", len(sets), func() func([]eval.Pair, int) []eval.Pair {
		return func(pairs []eval.Pair, i int) []eval.Pair { return eval.AppendPairs(pairs, sets, i, floor) }
	})
	return &Brute{time.Since(began).Seconds(), len(all), eval.Compare(joined, all).TruePositives}, done
}

// atOnce is how many documents a goroutine takes at a time.
const atOnce = 256

// gather puts the pairs of all documents together, sorted; not done says that ctx was. Each goroutine makes an append of its
// own. Later documents cost more, so they are dealt as they are wanted.
func (t *Tuner) gather(ctx context.Context, what string, n int, newAppend func() func([]eval.Pair, int) []eval.Pair) (pairs []eval.Pair, done bool) {
	var (
		group errgroup.Group
		next  atomic.Int64
		mu    sync.Mutex
	)
	for range t.Workers {
		group.Go(func() error {
			appendPairs := newAppend()
			var own []eval.Pair
			for ctx.Err() == nil {
				first := int(next.Add(atOnce)) - atOnce
				if first >= n {
					break
				}
				for i := first; i < min(n, first+atOnce); i++ {
					own = appendPairs(own, i)
				}
				mu.Lock()
				t.Progress(what, min(n, first+atOnce), n)
				mu.Unlock()
			}
			mu.Lock()
			defer mu.Unlock()
			pairs = append(pairs, own...)
			return ctx.Err()
		})
	}
	if group.Wait() != nil {
		return nil, false
	}
	eval.SortPairs(pairs)
	return pairs, true
}
