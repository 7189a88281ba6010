package tune

import (
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// PublishedGrid is the grid of a comparison of MinHash settings on PublishedSample sentences.
const (
	PublishedGrid   = "published"
	PublishedSample = 4000
)

// Grids lists, by name, what is tried unless flags say otherwise.
func Grids() map[string]Grid {
	return map[string]Grid{
		"": {
			Shingles: []string{"auto:2", "auto:3", "char:5"}, Hashes: []string{"xxhash"}, Sketches: sketch.Names()[:1],
			Slots: []int{0}, Bands: []int{0}, Bits: []int{64}, Distances: []int{3},
			Thresholds: []float64{0.7, 0.8, 0.9},
		},
		PublishedGrid: {
			Shingles: []string{"word:1", "word:2", "word:5"}, Hashes: HashNames(), Sketches: sketch.Names()[:1],
			Slots: []int{100, 200, 500}, Bands: []int{2, 5, 10, 20}, Bits: []int{64}, Distances: []int{3},
			Thresholds: []float64{0.8, 0.9, 0.95},
		},
	}
}

// HashNames returns the names of the hashes of shingles.
func HashNames() []string {
	var names []string
	for _, h := range text.Hashes() {
		names = append(names, h.String())
	}
	return names
}

// Widened returns a grid that also contains the configured settings.
func Widened(g Grid, configured, usual index.DuplicatesParams) Grid {
	g.Shingles = alsoTry(g.Shingles, configured.Shingle, usual.Shingle)
	g.Slots = alsoTry(g.Slots, configured.Slots, usual.Slots)
	g.Thresholds = alsoTry(g.Thresholds, configured.Threshold, usual.Threshold)
	return g
}

func alsoTry[T comparable](list []T, configured, usual T) []T {
	if configured == usual || slices.Contains(list, configured) {
		return list
	}
	return append(list, configured)
}

// Preferred returns the configured threshold if it is among those tried, else the first of them.
func Preferred(thresholds []float64, configured float64) float64 {
	return thresholds[max(0, slices.Index(thresholds, configured))]
}
