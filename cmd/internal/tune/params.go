package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/index/sketch"
)

// Params say what is tried, and what for.
type Params struct {
	Grid       Grid
	Recall     float64 // that bands are planned for
	CodeBits   int
	KeyBytes   int
	Weighted   bool          // the Sample's shingles count as often as they occur
	By         string        // what the setting is recommended by: see Bys
	At         float64       // among those at this threshold, one of the grid
	Stage      string        // at which: Verified, or Estimate for a service that only estimates
	BruteForce bool          // compare each with each, too
	Budget     time.Duration // settings are tried in a random order until it is over; 0 tries all in theirs
	Seed       uint64        // of that order
	Workers    int
	Most       int // candidates of a setting, above which it is given up
	MostPairs  int // true pairs, above which a shingle is given up: each takes some 100 bytes
}

// Validate says what cannot be tried.
func (p Params) Validate() error {
	g := p.Grid
	if slices.Contains([]int{len(g.Shingles), len(g.Hashes), len(g.Sketches), len(g.Thresholds)}, 0) {
		return fmt.Errorf("nothing to try: --shingle, --hash, --sketch and --threshold need at least one each")
	}
	if !slices.Contains(Bys(), p.By) {
		return fmt.Errorf("--by %s: write one of %s", p.By, strings.Join(Bys(), ", "))
	}
	if !slices.Contains(g.Thresholds, p.At) {
		return fmt.Errorf("--at %v: write one of the thresholds that are tried", p.At)
	}
	if p.Budget < 0 {
		return fmt.Errorf("--budget %v: write a time such as 2m, or 0 to try all", p.Budget)
	}
	return g.validate()
}

func (g Grid) validate() error {
	for _, kind := range g.Sketches {
		scheme, err := sketch.SchemeOf(kind)
		switch {
		case err != nil:
			return fmt.Errorf("--sketch %s: write one or more of %s", kind, strings.Join(sketch.Names(), ", "))
		case !scheme.ByDistance() && (len(g.Slots) == 0 || len(g.Bands) == 0):
			return fmt.Errorf("nothing to try: %s needs --slots and --bands", kind)
		case scheme.ByDistance() && (len(g.Bits) == 0 || len(g.Distances) == 0):
			return fmt.Errorf("nothing to try: %s needs --bits and --distance", kind)
		}
	}
	for _, threshold := range g.Thresholds {
		if !(threshold > 0 && threshold <= 1) {
			return fmt.Errorf("--threshold %v: write numbers above 0, up to 1", threshold)
		}
		if float64(tenThousandths(threshold)) != math.Round(threshold*1e9)/1e5 {
			return fmt.Errorf("--threshold %v: similarities are compared to four decimals: round it", threshold)
		}
	}
	for _, bands := range g.Bands {
		if bands < 0 {
			return fmt.Errorf("--bands %d: write numbers above 0, or 0 for what the service plans", bands)
		}
	}
	return nil
}
