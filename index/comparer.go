package index

import (
	"fmt"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// Comparer verifies pairs of entries as a replica of the same Params does. It is not safe for concurrent use.
type Comparer struct{ comparer *compare.Comparer }

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
	comparer, err := p.Similarity.comparer(sketch)
	if err != nil {
		return nil, fmt.Errorf("build comparer: %w", err)
	}
	return &Comparer{comparer}, nil
}

// Begin sets the entry that others are compared with. The comparer refers to it until the next Begin.
func (c *Comparer) Begin(e *entry.Entry) { c.comparer.Begin(e) }

// Compare returns how similar another entry is to the one given to Begin, and whether that makes it a duplicate. The
// similarity of a pair that is no duplicate may be returned too low. Entries of different scopes are not similar.
func (c *Comparer) Compare(other *entry.Entry) (s Similarity, m Method, ok bool) {
	return c.comparer.Compare(other)
}
