package dedup

import (
	"errors"
	"fmt"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// share is the judge of one of several passes. It judges as many documents as the memory has room for, which are its
// share, and then only looks for what is like those of its share.
//
// The verdicts are those of one pass with room for all, as far as bounds leave none out, and what is popular among all is
// popular in each share: a document is compared with all unique ones before it, share by share, and its match is the most
// similar of them, of equally similar ones the first. One that has a match in an earlier share is no unique document, so
// it is looked for and not remembered.
type share struct {
	*Index
	before *earlier // matches in the shares before this one; nil if it is the first
	after  *earlier // matches of what is behind this one
	begins int64    // number of its first document
	end    int64    // number of the first document behind it; -1 if there is none yet
}

// newShare makes the judge of the documents from a number on, by an index that knows none yet. It owns before and after.
func newShare(x *Index, begins int64, before, after *earlier) *share {
	x.reach(begins)
	return &share{Index: x, before: before, after: after, begins: begins, end: -1}
}

// close closes the files that it has still.
func (s *share) close() error {
	if s == nil {
		return nil
	}
	err := errors.Join(s.before.close(), s.after.close())
	s.before, s.after = nil, nil
	return err
}

// has says whether a document is one of the share.
func (s *share) has(number int64) bool { return s.end < 0 || number < s.end }

// apply returns the matches of documents of the share, together with those of the shares before.
func (s *share) apply(some *signed) (*matches, error) {
	s.found.reset()
	if s.end < 0 && !s.fits(some.entries) {
		if s.next == s.begins {
			return nil, fmt.Errorf("%w of %s: it has no room for %d documents", ErrMemory, s.params.Memory, len(some.entries))
		}
		s.end = s.next
	}
	for rest := some.entries; len(rest) > 0; {
		n := 0
		var known *Match
		for n < len(rest) && known == nil {
			var err error
			if known, err = s.before.of(rest[n].Offset); err != nil {
				return nil, err
			}
			if known != nil || s.end >= 0 {
				break
			}
			n++
		}
		if n > 0 { // neither is known to be a copy, and they belong to the share
			if err := s.judge(rest[:n]); err != nil {
				return nil, err
			}
		}
		if rest = rest[n:]; len(rest) > 0 {
			if err := s.look(&rest[0], known); err != nil {
				return nil, err
			}
			rest = rest[1:]
		}
	}
	return &s.found, nil
}

// fits says whether the window has room for so many documents.
func (s *share) fits(entries []entry.Entry) bool {
	bytes := s.replica.Stats().WindowBytes
	for i := range entries {
		bytes += index.EntryBytes(s.params.Index, &entries[i]) + index.MostFineBytes
	}
	return bytes <= int64(s.params.Memory)
}

// look finds the match of a document that is not remembered.
func (s *share) look(e *entry.Entry, known *Match) error {
	best := known
	for _, m := range s.replica.Lookup(e, 1) {
		if best == nil || best.Similarity.Less(m.Similarity) {
			best = &Match{Number: m.Offset, Name: []byte(m.ID), Similarity: m.Similarity, Method: m.Method}
		}
	}
	defer s.found.next(false)
	switch {
	case best == nil:
		return nil
	case s.end >= 0:
		return s.after.add(e.Offset, best)
	}
	s.found.add(best.Number, best.Name, best.Similarity, best.Method)
	return nil
}
