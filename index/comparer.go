package index

import (
	"fmt"

	"github.com/unecho/unecho/index/entry"
)

// Comparer verifies pairs of entries as a replica of the same Params does. It is not safe for concurrent use.
type Comparer struct {
	verify verifier
	least  Similarity
	entry  *entry.Entry
	begun  bool
}

// NewComparer builds a comparer for valid Params.
func NewComparer(p Params) (*Comparer, error) {
	p, err := p.Planned()
	if err != nil {
		return nil, fmt.Errorf("build comparer: %w", err)
	}
	sketch, err := p.Similarity.NewSketch()
	if err != nil {
		return nil, fmt.Errorf("build comparer: %w", err)
	}
	verify, err := newVerifier(p.Similarity, sketch)
	if err != nil {
		return nil, fmt.Errorf("build comparer: %w", err)
	}
	return &Comparer{verify: verify, least: p.Similarity.Least()}, nil
}

// Begin sets the entry that others are compared with. The comparer refers to it until the next Begin.
func (c *Comparer) Begin(e *entry.Entry) { c.entry, c.begun = e, false }

// Compare returns how similar another entry is to the one given to Begin, and whether that makes it a duplicate. The
// similarity of a pair that is no duplicate may be returned too low. Entries of different scopes are not similar.
func (c *Comparer) Compare(other *entry.Entry) (s Similarity, m Method, ok bool) {
	if other.Scope != c.entry.Scope {
		return unlike(), NoMatch, false
	}
	if other.Content == c.entry.Content {
		return Similarity{Num: 1, Den: 1}, Identical, true
	}
	if !c.begun {
		c.verify.begin(c.entry)
		c.begun = true
	}
	s = c.verify.similarity(other)
	return s, c.verify.method(), !s.Less(c.least)
}
