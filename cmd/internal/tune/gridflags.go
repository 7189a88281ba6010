package tune

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
)

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
	cmdline.Offer(cmd, "hash", HashNames()...)
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

// gridOf returns the named grid, changed by flags. Values that a configuration or a preset sets are tried as well,
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
		if tokensField(cmd) != "" {
			g.Shingles = []string{"word:1", "word:2", "word:3"}
		}
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
	return slices.Concat([]cmdline.Rule{
		{Flags: "documents from to dir", When: func(g *cmdline.Asked) bool { return g.Has("topic") }, Why: "is about a topic: name one by --topic"},
		{
			Flags: "include null format fields id delimiter lenient-quotes strict", When: func(g *cmdline.Asked) bool { return !g.Has("topic") },
			Why: "is about files, and documents come from --topic: leave it out",
		},
		{
			Flags: "fields scope max-document-bytes reject " + cmdline.TextFlags,
			When:  func(g *cmdline.Asked) bool { return !g.Has("tokens") }, Why: "is about texts, and --tokens takes tokens as they are: leave it out",
		},
		{Flags: "all", When: func(g *cmdline.Asked) bool {
			return !g.Has("json") && g.Value("html") != corpus.Stdin && g.Value("yaml") != corpus.Stdin
		}, Why: "is about the table, which is not written: leave it out"},
		{Flags: "slots bands recall", When: tries(false), Why: untried},
		{Flags: "bits distance", When: tries(true), Why: untried},
		{Flags: "topic tokens pairs sample sample-bytes seed grid by at min-precision html yaml json budget weighted"},
	}, cmdline.SettingRules(), cmdline.FileRules())
}
