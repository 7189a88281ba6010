package dedup

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/unecho/unecho/index/compare"
)

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
