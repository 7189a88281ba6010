package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/sketch"
)

// Params say which settings are tried, and how one is recommended.
type Params struct {
	Grid Grid
	// the configured settings. They stay where the grid changes none of them; with labels, the shingle and the threshold
	// are changed only for something better; else the shingle is the one recommended, if it is tried and some documents
	// are alike by it
	Judge     index.Params
	By        string        // criterion of the recommendation: see Bys
	Precision float64       // least share of the duplicates that are to be true ones
	At        float64       // threshold of the recommendation, one of the grid; 0 weighs all, by labels
	Budget    time.Duration // time for trying settings in a random order; 0 tries all, in their order
	Seed      uint64        // seed of that order
	Workers   int
	MostPairs int // greatest number of true pairs before a shingle is given up: each takes some 100 bytes
}

// Validate says what cannot be tried.
func (p Params) Validate() error {
	g := p.Grid
	if slices.Contains([]int{len(g.Shingles), len(g.Hashes), len(g.Sketches), len(g.Thresholds)}, 0) {
		return fmt.Errorf("nothing to try: --shingle, --hash, --method and --threshold need at least one each")
	}
	if !slices.Contains(Bys(), p.By) {
		return fmt.Errorf("--by %s: write one of %s", p.By, strings.Join(Bys(), ", "))
	}
	if p.At != 0 && !slices.Contains(g.Thresholds, p.At) {
		return fmt.Errorf("--at %v: write one of the thresholds that are tried", p.At)
	}
	if !(p.Precision >= 0 && p.Precision <= 1) {
		return fmt.Errorf("--min-precision %v: write a number from 0 to 1", p.Precision)
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
			return fmt.Errorf("--method %s: write one or more of %s", kind, strings.Join(sketch.Names(), ", "))
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
