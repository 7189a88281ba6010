package index

import (
	"fmt"

	"github.com/unecho/unecho/index/compare"
)

// NewComparer builds what verifies pairs of entries as a replica of the same valid Params does.
func NewComparer(p Params) (*compare.Comparer, error) {
	p, err := p.Planned()
	if err != nil {
		return nil, fmt.Errorf("build comparer: %w", err)
	}
	sketch, err := p.Duplicates.NewSketch()
	if err != nil {
		return nil, fmt.Errorf("build comparer: %w", err)
	}
	comparer, err := p.Duplicates.comparer(sketch)
	if err != nil {
		return nil, fmt.Errorf("build comparer: %w", err)
	}
	return comparer, nil
}
