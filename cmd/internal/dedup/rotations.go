package dedup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
)

// Rotations gathers all documents and finds, at the end, every pair of SimHashes within a distance by sorted rotations. With
// verify: estimate that makes the match; else the pair is verified.
type Rotations struct {
	params   index.Params
	distance int
	pairs    *sketch.Rotations
	entries  []entry.Entry
	next     int64
	first    int64
	none     matches
}

// NewRotations makes a Rotations that knows no document. The Params are those that documents are signed with, so their distance
// is one that blocks guarantee; distance is the one that is meant.
func NewRotations(p index.Params, distance int) (*Rotations, error) {
	pairs, err := sketch.NewRotations(p.Similarity.Bits, distance)
	if err != nil {
		return nil, err
	}
	return &Rotations{params: p, distance: distance, pairs: pairs}, nil
}

// Begin is as that of Index: pairs of documents before it are passed over.
func (r *Rotations) Begin() { r.first = r.next }

// First is the number of the first document since Begin.
func (r *Rotations) First() int64 { return r.first }

// Next is the number of the next document.
func (r *Rotations) Next() int64 { return r.next }

// Count is the number of rotations.
func (r *Rotations) Count() int { return r.pairs.Count() }

func (r *Rotations) reach(number int64) { r.next = number }

// apply keeps what the end needs, and knows of no match yet.
func (r *Rotations) apply(s *signed) (*matches, error) {
	if len(r.entries) > math.MaxInt32-len(s.entries) {
		return nil, errors.New("more than two thousand million documents are too many for sorted rotations")
	}
	r.none.reset()
	for i := range s.entries {
		r.none.next()
		if s.entries[i].Empty() {
			continue
		}
		e := s.entries[i]
		e.Keys = nil
		if r.estimates() {
			e.Evidence = nil
		}
		r.entries = append(r.entries, e.Clone())
		r.pairs.Add(s.sketches[i])
	}
	return &r.none, nil
}

func (r *Rotations) estimates() bool { return r.params.Similarity.Verify == "estimate" }

// pair is two entries, by their places.
type pair struct{ a, b, distance int32 }

// Finish finds the matches and calls each for every document that has some, in their order. The matches live until the next
// call.
func (r *Rotations) Finish(ctx context.Context, workers int, each func(number int64, found []Match) error) error {
	pairs, err := r.find(ctx, workers)
	if err != nil {
		return err
	}
	comparer, err := index.NewComparer(r.params)
	if err != nil {
		return err
	}
	var found []Match
	for len(pairs) > 0 && ctx.Err() == nil {
		n := 1
		for n < len(pairs) && pairs[n].b == pairs[0].b {
			n++
		}
		found = r.verify(found[:0], pairs[:n], comparer)
		if len(found) > 0 {
			if err := each(r.entries[pairs[0].b].Offset, found); err != nil {
				return err
			}
		}
		pairs = pairs[n:]
	}
	return ctx.Err()
}

// find returns the pairs of all rotations, of which the later one is no document of the index.
func (r *Rotations) find(ctx context.Context, workers int) ([]pair, error) {
	byRotation := make([][]pair, r.pairs.Count())
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for rotation := range byRotation {
		group.Go(func() error {
			if ctx.Err() != nil {
				return fmt.Errorf("compare documents: %w", ctx.Err())
			}
			r.pairs.Pairs(rotation, func(a, b, distance int) {
				if r.entries[b].Offset >= r.first {
					byRotation[rotation] = append(byRotation[rotation], pair{int32(a), int32(b), int32(distance)})
				}
			})
			return nil
		})
	}
	err := group.Wait()
	pairs := slices.Concat(byRotation...)
	slices.SortFunc(pairs, func(p, q pair) int { return cmp.Or(cmp.Compare(p.b, q.b), cmp.Compare(p.a, q.a)) })
	return pairs, err
}

// verify appends the matches among the pairs of one document.
func (r *Rotations) verify(dst []Match, pairs []pair, comparer *index.Comparer) []Match {
	comparer.Begin(&r.entries[pairs[0].b])
	for _, p := range pairs {
		a := &r.entries[p.a]
		similarity, method, ok := r.compare(p, a, comparer)
		if ok {
			dst = append(dst, Match{Number: a.Offset, Name: a.ID, Similarity: similarity, Method: method})
		}
	}
	return dst
}

func (r *Rotations) compare(p pair, a *entry.Entry, comparer *index.Comparer) (index.Similarity, index.Method, bool) {
	b := &r.entries[p.b]
	if !r.estimates() || a.Content == b.Content {
		return comparer.Compare(a)
	}
	bits := r.params.Similarity.Bits
	return index.Similarity{Num: uint32(bits - int(p.distance)), Den: uint32(bits)}, index.Hamming, a.Scope == b.Scope
}
