package dedup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
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

// Finish finds the matches and calls each, in the order of the documents, for every document that has some; for one
// with very many it calls each more than once. The matches are valid until the next call. progress is called at
// intervals, one call at a time, with how many of how many comparisons are done. Finish returns ErrMemory if there are
// too many matches.
func (p *EachPair) Finish(ctx context.Context, workers int, progress func(done, all int64),
	each func(number int64, found []Match) error,
) error {
	all, err := p.find(ctx, workers, progress)
	if err != nil {
		return err
	}
	var found []Match
	for place := range p.documents {
		if p.documents[place].number < p.first {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		found = p.matchesOf(found[:0], int32(place), all)
		for some := range slices.Chunk(found, mostAtOnce) {
			if err := each(p.documents[place].number, some); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// mostAtOnce bounds how many matches a call of each is given.
const mostAtOnce = 1 << 12

// matchesOf appends the matches of a document with earlier ones, in their order. Unless all pairs are wanted, only the
// first of several equal documents gets the matches with other texts; the others match the first.
func (p *EachPair) matchesOf(dst []Match, place int32, all []near) []Match {
	own := p.documents[place].content
	dst = p.appendMatches(dst, place, &near{
		to: own, similarity: compare.Similarity{Num: 1, Den: 1},
		method: compare.Identical,
	})
	if p.params.Pairs || p.contents[own].lead == place {
		from := sort.Search(len(all), func(i int) bool { return all[i].from >= own })
		for i := from; i < len(all) && all[i].from == own; i++ {
			dst = p.appendMatches(dst, place, &all[i])
		}
	}
	slices.SortFunc(dst, func(a, b Match) int { return cmp.Compare(a.Number, b.Number) })
	return dst
}

// appendMatches appends the documents of a content that come before place: all, or only the first if that is enough.
func (p *EachPair) appendMatches(dst []Match, place int32, n *near) []Match {
	for at := p.contents[n.to].first; at >= 0 && at < place; at = p.documents[at].next {
		d := &p.documents[at]
		dst = append(dst, Match{Number: d.number, Name: d.name, Similarity: n.similarity, Method: n.method})
		if !p.params.Pairs {
			break
		}
	}
	return dst
}
