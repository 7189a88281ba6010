package dedup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
)

// near is a verified pair of contents, from the side of one of them.
type near struct {
	from, to   int32
	similarity compare.Similarity
	method     compare.Method
}

// nearBytes is the bytes of a pair: once for each side, and once more while the pairs of all parts are combined.
const nearBytes = 4 * 20

// search is the state shared by the goroutines that compare sketches.
type search struct {
	of       *EachPair
	progress func(done, all int64)

	mu    sync.Mutex
	found []near
	taken int64
	done  int64 // steps, over all parts
}

// step is how many hashes are compared between two checks for cancellation.
const step = 256

// find returns the verified pairs, each from both sides, sorted. Pairs without a judged document are
// skipped.
func (p *EachPair) find(ctx context.Context, workers int, progress func(done, all int64)) ([]near, error) {
	s := &search{of: p, progress: progress, taken: p.taken}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for part := range p.pairs.Count() {
		group.Go(func() error { return s.compare(ctx, part) })
	}
	err := group.Wait()
	slices.SortFunc(s.found, func(a, b near) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return s.found, err
}

// compare finds the pairs of one part.
func (s *search) compare(ctx context.Context, part int) error {
	p := s.of
	if ctx.Err() != nil {
		return fmt.Errorf("compare documents: %w", ctx.Err())
	}
	comparer, err := index.NewComparer(p.params.Index)
	if err != nil {
		return err
	}
	var (
		own     []near
		hashes  int
		counted int // of own
		with    = int32(-1)
	)
	visit := func(a, b, distance int) {
		x, y := &p.contents[a], &p.contents[b]
		if !p.judged(x) && !p.judged(y) {
			return
		}
		if int32(b) != with {
			with = int32(b)
			comparer.Begin(&y.entry)
		}
		if similarity, method, ok := p.compare(x, y, distance, comparer); ok {
			own = append(own, near{int32(a), int32(b), similarity, method}, near{int32(b), int32(a), similarity, method})
		}
	}
	p.pairs.Pairs(part, visit, func() bool {
		if hashes++; hashes%step != 0 && len(own)-counted < step {
			return true
		}
		err = s.count(ctx, hashes%step == 0, len(own)-counted)
		counted = len(own)
		return err == nil
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = append(s.found, own...)
	return nil
}

// count adds what a part has done and found to the totals.
func (s *search) count(ctx context.Context, stepped bool, found int) error {
	if ctx.Err() != nil {
		return fmt.Errorf("compare documents: %w", ctx.Err())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stepped {
		s.done += step
		s.progress(s.done, s.of.pairs.Steps())
	}
	if s.taken += int64(found) * nearBytes / 2; s.taken > int64(s.of.params.Memory) {
		return fmt.Errorf("%w of %s: too many documents lie within the distance of each other", ErrMemory, s.of.params.Memory)
	}
	return nil
}

func (p *EachPair) compare(a, b *content, distance int,
	comparer *compare.Comparer,
) (compare.Similarity, compare.Method, bool) {
	if !p.estimates() {
		return comparer.Compare(&a.entry)
	}
	bits := p.params.Index.Duplicates.Bits
	return compare.Similarity{Num: uint32(bits - distance), Den: uint32(bits)}, compare.Hamming, a.entry.Scope == b.entry.Scope
}
