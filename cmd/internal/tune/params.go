package tune

import (
	"fmt"
	"slices"
	"strings"
)

// Validate says what cannot be tried.
func (p Params) Validate() error {
	g := p.Grid
	if len(g.Shingles) == 0 || len(g.Hashes) == 0 || len(g.Sketches) == 0 || len(g.Thresholds) == 0 {
		return fmt.Errorf("nothing to try: a list is empty")
	}
	if !slices.Contains(Bys(), p.By) {
		return fmt.Errorf("--by %s: write one of %s", p.By, strings.Join(Bys(), ", "))
	}
	if !slices.Contains(g.Thresholds, p.At) {
		return fmt.Errorf("--at %v: write one of the thresholds that are tried", p.At)
	}
	for _, kind := range g.Sketches {
		if kind != MinHash && kind != SimHash {
			return fmt.Errorf("--sketch %s: write minhash, simhash or both", kind)
		}
	}
	for _, threshold := range g.Thresholds {
		if !(threshold > 0 && threshold <= 1) {
			return fmt.Errorf("--threshold %v: write numbers above 0, up to 1", threshold)
		}
	}
	return nil
}
