package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/tune"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// publishedGrid is that of a comparison of MinHash settings on 4,000 sentences.
const publishedGrid = "published"

// grids are what is tried where no flag says otherwise, by name.
func grids() map[string]tune.Grid {
	return map[string]tune.Grid{
		"": {
			Shingles: []string{"auto:2", "auto:3", "char:5"}, Hashes: []string{"xxhash"}, Sketches: sketch.Names()[:1],
			Slots: []int{64, 128, 256}, Bands: []int{0}, Bits: []int{64}, Distances: []int{3}, Thresholds: []float64{0.7, 0.8, 0.9},
		},
		publishedGrid: {
			Shingles: []string{"word:1", "word:2", "word:5"}, Hashes: hashNames(), Sketches: sketch.Names()[:1],
			Slots: []int{100, 200, 500}, Bands: []int{2, 5, 10, 20}, Bits: []int{64}, Distances: []int{3},
			Thresholds: []float64{0.8, 0.9, 0.95},
		},
	}
}

func hashNames() []string {
	var names []string
	for _, h := range text.Hashes() {
		names = append(names, h.String())
	}
	return names
}

func addGridFlags(cmd *cobra.Command) {
	flags, grid := cmd.Flags(), grids()[""]
	flags.String("grid", "", "begin with this grid instead of the defaults of the flags below: "+publishedGrid)
	flags.StringSlice("shingle", grid.Shingles, "auto:N, word:N, char:K")
	flags.StringSlice("hash", grid.Hashes, "xxhash, murmur3, xxh64, sha1")
	flags.StringSlice("sketch", grid.Sketches, strings.Join(sketch.Names(), ", "))
	flags.IntSlice("slots", grid.Slots, "slots of minhash")
	flags.IntSlice("bands", grid.Bands, "bands of minhash, as many rows as fit; 0 is what the service plans for the recall")
	flags.IntSlice("bits", grid.Bits, "bits of simhash")
	flags.IntSlice("distance", grid.Distances, "bits in which simhashes may differ")
	flags.Float64Slice("threshold", grid.Thresholds, "similarities from which two documents are duplicates")
	offer(cmd, "grid", publishedGrid)
	offer(cmd, "hash", hashNames()...)
	offer(cmd, "sketch", sketch.Names()...)
	addVerifyFlag(cmd)
}

// addVerifyFlag adds similarity.verify without the word that is refused: see tuneParams.
func addVerifyFlag(cmd *cobra.Command) {
	for _, f := range setting.Fields(config.Default()) {
		if f.Key == "similarity.verify" {
			f.Enum = slices.DeleteFunc(slices.Clone(f.Enum), func(word string) bool { return word == "levenshtein" })
			addSettingFlag(cmd, f)
		}
	}
}

// gridOf is the grid named, with what flags say. What a configuration or a preset sets is tried as well, unless a flag
// says what is.
func gridOf(cmd *cobra.Command, configured index.SimilarityParams) (tune.Grid, error) {
	flags, usual := cmd.Flags(), config.Default().Judge.Similarity
	name := cmd.Flag("grid").Value.String()
	g, known := grids()[name]
	if !known {
		return g, exit.Usage(fmt.Errorf("--grid %s: there is %s", name, publishedGrid))
	}
	if name == "" {
		g.Shingles = alsoTry(g.Shingles, configured.Shingle, usual.Shingle)
		g.Slots = alsoTry(g.Slots, configured.Slots, usual.Slots)
		g.Thresholds = alsoTry(g.Thresholds, configured.Threshold, usual.Threshold)
		if tokensField(cmd) != "" {
			g.Shingles = []string{"word:1", "word:2", "word:3"}
		}
	}
	var wrong []error
	whenGiven(cmd, "shingle", &g.Shingles, flags.GetStringSlice, &wrong)
	whenGiven(cmd, "hash", &g.Hashes, flags.GetStringSlice, &wrong)
	whenGiven(cmd, "sketch", &g.Sketches, flags.GetStringSlice, &wrong)
	whenGiven(cmd, "slots", &g.Slots, flags.GetIntSlice, &wrong)
	whenGiven(cmd, "bands", &g.Bands, flags.GetIntSlice, &wrong)
	whenGiven(cmd, "bits", &g.Bits, flags.GetIntSlice, &wrong)
	whenGiven(cmd, "distance", &g.Distances, flags.GetIntSlice, &wrong)
	whenGiven(cmd, "threshold", &g.Thresholds, flags.GetFloat64Slice, &wrong)
	if len(wrong) > 0 {
		return g, wrong[0]
	}
	return g, nil
}

// alsoTry adds what is configured, if it is not what it usually is.
func alsoTry[T comparable](list []T, configured, usual T) []T {
	if configured == usual || slices.Contains(list, configured) {
		return list
	}
	return append(list, configured)
}

func whenGiven[T any](cmd *cobra.Command, name string, list *[]T, get func(string) ([]T, error), wrong *[]error) {
	if !cmd.Flag(name).Changed {
		return
	}
	given, err := get(name)
	if err != nil {
		*wrong = append(*wrong, err)
		return
	}
	*list = given
}

// preferred is the threshold that is configured if it is among those tried, else the first of them.
func preferred(thresholds []float64, configured float64) float64 {
	return thresholds[max(0, slices.Index(thresholds, configured))]
}
