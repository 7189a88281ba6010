package tune

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
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
			Shingles: []string{"word:1", "word:2", "word:5"}, Hashes: text.HashNames(), Sketches: sketch.Names()[:1],
			Slots: []int{100, 200, 500}, Bands: []int{2, 5, 10, 20}, Bits: []int{64}, Distances: []int{3},
			Thresholds: []float64{0.8, 0.9, 0.95},
		},
	}
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

func addGridFlags(cmd *cobra.Command) {
	grid := Grids()[""]
	cmdline.Add(cmd, cmdline.Similarity, func(f cmdline.Flags) {
		f.Text("grid", "choice", "", "begin with this grid instead of the defaults of the flags below: "+PublishedGrid)
		f.StringSlice("shingle", grid.Shingles, "auto:N, word:N, char:K")
		f.Named("shingle", "list")
		f.StringSlice("method", grid.Sketches, strings.Join(sketch.Names(), ", "))
		f.Named("method", "choices")
		f.IntSlice("slots", grid.Slots, "slots of minhash; 0 is as many as the cheapest bands need")
		f.IntSlice("bits", grid.Bits, "bits of simhash")
		f.IntSlice("distance", grid.Distances, "bits in which simhashes may differ")
		f.Float64Slice("threshold", grid.Thresholds, "similarities from which two documents are duplicates")
	})
	cmdline.Add(cmd, cmdline.Advanced, func(f cmdline.Flags) {
		f.StringSlice("hash", grid.Hashes, "xxhash, murmur3, xxh64, sha1")
		f.Named("hash", "choices")
		f.IntSlice("bands", grid.Bands, "bands of minhash, as many rows as fit; 0 is what the service plans for the recall")
	})
	cmdline.Offer(cmd, "grid", PublishedGrid)
	cmdline.Offer(cmd, "hash", text.HashNames()...)
	cmdline.Offer(cmd, "method", sketch.Names()...)
	addVerifyFlag(cmd)
}

// addVerifyFlag adds duplicates.verify without the word that is refused: see tuneParams.
func addVerifyFlag(cmd *cobra.Command) {
	for _, f := range setting.Fields(config.Default()) {
		if f.Key == "duplicates.verify" {
			f.Enum = slices.DeleteFunc(slices.Clone(f.Enum), func(word string) bool { return word == "levenshtein" })
			cmdline.AddSetting(cmd, f)
		}
	}
}

// gridOf returns the named grid, changed by flags. Values that a configuration sets are tried as well,
// unless a flag gives the values.
func gridOf(cmd *cobra.Command, configured index.DuplicatesParams) (Grid, error) {
	flags, usual := cmd.Flags(), config.Default().Judge.Duplicates
	name := cmdline.Text(cmd, "grid")
	g, known := Grids()[name]
	if !known {
		return g, exit.Usage(fmt.Errorf("--grid %s: there is %s", name, PublishedGrid))
	}
	if name == "" {
		g = Widened(g, configured, usual)
		if cmdline.Text(cmd, "tokens") != "" {
			g.Shingles = []string{"word:1", "word:2", "word:3"}
		}
	}
	if configured.Ignored.Len() > 0 {
		g.Listed = source{configured.Shingle, configured.Hash, true}
	}
	err := errors.Join(
		whenGiven(cmd, "shingle", &g.Shingles, flags.GetStringSlice), whenGiven(cmd, "hash", &g.Hashes, flags.GetStringSlice),
		whenGiven(cmd, "method", &g.Sketches, flags.GetStringSlice), whenGiven(cmd, "slots", &g.Slots, flags.GetIntSlice),
		whenGiven(cmd, "bands", &g.Bands, flags.GetIntSlice), whenGiven(cmd, "bits", &g.Bits, flags.GetIntSlice),
		whenGiven(cmd, "distance", &g.Distances, flags.GetIntSlice), whenGiven(cmd, "threshold", &g.Thresholds, flags.GetFloat64Slice),
	)
	return g, err
}

func whenGiven[T any](cmd *cobra.Command, name string, list *[]T, get func(string) ([]T, error)) (err error) {
	if cmd.Flag(name).Changed {
		*list, err = get(name)
	}
	return err
}

// Rules say when each flag decides something.
func Rules() []cmdline.Rule {
	tries := func(byDistance bool) func(*cmdline.Asked) bool {
		return func(g *cmdline.Asked) bool {
			grid, err := gridOf(g.Command, g.Config.Judge.Duplicates)
			return err != nil || slices.ContainsFunc(grid.Sketches, func(name string) bool {
				scheme, err := sketch.SchemeOf(name)
				return err != nil || scheme.ByDistance() == byDistance // what is wrong with the grid is reported when it is read
			})
		}
	}
	const untried = "is of a sketch that is not tried: add it to --method, or leave this out"
	return slices.Concat(sampleRules(), []cmdline.Rule{
		{
			Flags: "fields scope max-document-bytes reject ignore " + cmdline.TextFlags,
			When:  func(g *cmdline.Asked) bool { return !g.Has("tokens") }, Why: "is about texts, and --tokens takes tokens as they are: leave it out",
		},
		{Flags: "all", When: func(g *cmdline.Asked) bool {
			return !g.Has("json") && g.Value("html") != corpus.Stdin && g.Value("yaml") != corpus.Stdin
		}, Why: "is about the table, which is not written: leave it out"},
		{Flags: "slots bands recall", When: tries(false), Why: untried},
		{Flags: "ignore", When: func(g *cmdline.Asked) bool {
			grid, err := gridOf(g.Command, g.Config.Judge.Duplicates)
			return err != nil || slices.Contains(grid.sources(), grid.Listed)
		}, Why: "is of a shingle and hash that are not tried: add them to --shingle and --hash, or leave this out"},
		{Flags: "bits distance", When: tries(true), Why: untried},
		{Flags: "tokens pairs grid by min-precision html yaml json budget weighted"},
	}, cmdline.SettingRules(), cmdline.FileRules())
}

// sampleRules are those of where a sample comes from.
func sampleRules() []cmdline.Rule {
	return []cmdline.Rule{
		{Flags: "documents from to dir", When: func(g *cmdline.Asked) bool { return g.Has("topic") }, Why: "is about a topic: name one by --topic"},
		{
			Flags: "include null format fields id delimiter lenient-quotes strict", When: func(g *cmdline.Asked) bool { return !g.Has("topic") },
			Why: "is about files, and documents come from --topic, which are read as the sources of the configuration say: leave it out",
		},
		{Flags: "topic sample sample-bytes seed"},
	}
}

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
