package dedup

import (
	"slices"

	"github.com/unecho/unecho/cmd/internal/cmdline"
)

// Rules say when each flag decides something in a run with these options.
func Rules(o *Options) []cmdline.Rule {
	const whole = "is for whole documents, and --unit compares their parts by normal form: leave out one of them, or remove parts " +
		"first and compare what is left in a second run"
	parts := func(g *cmdline.Asked) bool { return g.Has("unit") }
	return slices.Concat([]cmdline.Rule{
		{Flags: "part-bytes repeats removed", When: parts, Why: "goes with --unit, which says what a part is"},
		{Flags: "index index-file save-index pairs clusters groups representative verbose matches checkpoint checkpoint-every passes html " +
			"threshold shingle hash weighted method slots plan recall bands rows bits distance verify evidence " +
			"max-candidates max-references max-work compare-copies", When: func(g *cmdline.Asked) bool { return !parts(g) }, Why: whole},
		{Flags: "unit query duplicates unique rejected json memory workers"},
		{
			Flags: "checkpoint-every", When: func(g *cmdline.Asked) bool { return g.Has("checkpoint") },
			Why: "goes with --checkpoint, which names the directory",
		},
		{Flags: "unique duplicates pairs clusters groups rejected cut html representative verbose", When: func(g *cmdline.Asked) bool {
			return parts(g) || len(o.Query) > 0 || o.List != ""
		}, Why: "is about documents that are judged, and those of --index are not: name others, or leave it out"},
		{Flags: "keep-rejected", When: func(g *cmdline.Asked) bool {
			return g.Has("unique") || !g.Has("duplicates", "pairs", "clusters", "groups", "rejected", "cut", "removed", "save-index", "html", "json")
		}, Why: "is about --unique, which is not written: name a file for it, or leave it out"},
		{
			Flags: "max-candidates max-references max-work", When: func(*cmdline.Asked) bool { return !o.EachPair },
			Why: "is of an index, and a --distance beyond that of blocks has none: leave it out",
		},
	}, cmdline.SettingRules(), cmdline.JudgeRules(), cmdline.FileRules())
}
