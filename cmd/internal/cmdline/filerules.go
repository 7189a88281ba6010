package cmdline

import (
	"os"
	"slices"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

// These tables have each flag of the verbs about files, and when it decides something: where it does not, it is refused. Settings
// of duplicates that decide nothing beside others are refused as settings (index.DuplicatesParams.Idle), the sketch's own too.

// TextFlags are those of normalize. Where a verb writes no page, html is one of them.
const TextFlags = "accents digits ids max-bytes punctuation space normalize-html urls"

// SettingRules are those of settings that are flags.
func SettingRules() []Rule {
	return []Rule{
		{Flags: "config preset set scope max-document-bytes reject " + TextFlags},
		{Flags: "shingle hash method slots bands rows bits distance threshold verify evidence max-candidates " +
			"max-references max-work"},
	}
}

// JudgeRules are those of settings where one of each is in force, and none are tried side by side.
func JudgeRules() []Rule {
	return []Rule{
		{Flags: "weighted", When: func(g *Asked) bool {
			s := g.Config.Judge.Duplicates
			s.Weighted = false
			return !s.Repeated()
		}, Why: "has no effect with --verify levenshtein, for which a shingle always counts as often as it occurs: leave it out"},
		{
			Flags: "recall plan", When: func(g *Asked) bool { return g.Config.Judge.Duplicates.Bands == 0 },
			Why: "plans bands and rows, which are given: leave out one of them",
		},
		{
			Flags: "recall", When: func(g *Asked) bool { return g.Config.Judge.Duplicates.Plan != "area" },
			Why: "has no effect with --plan area, which keeps none: leave out one of them",
		},
	}
}

// PairRules are those of verbs that compare pairs, and remember nothing.
func PairRules() []Rule {
	return []Rule{{
		Flags: "compare-copies", When: Never,
		Why: "is about what is remembered, and nothing is: leave it out",
	}}
}

// LayoutRules are those of what is a document in a file.
func LayoutRules() []Rule {
	rules := []Rule{
		{Flags: "format strict"},
	}
	for _, flag := range corpus.LayoutFlags() {
		rules = append(rules, Rule{
			Flags: flag, When: func(g *Asked) bool { return corpus.Decides(flag, g.Value("format")) },
			Why: "has no effect on files of that --format: leave out one of them",
		})
	}
	return rules
}

// FileRules are those of which files are read, and how.
func FileRules() []Rule {
	return append(LayoutRules(),
		Rule{Flags: "files-from"},
		Rule{
			Flags: "null", When: func(g *Asked) bool { return g.Has("files-from") },
			Why: "(-0) is about a list of names: name one by --files-from",
		},
		Rule{Flags: "include", When: func(g *Asked) bool {
			return slices.ContainsFunc(g.Paths, func(path string) bool {
				info, err := os.Stat(path)
				return err != nil || info.IsDir() // what is not there is reported when it is opened
			})
		}, Why: "says which files of a directory are read, and none is named: leave it out"})
}

// Never is for flags that decide nothing.
func Never(*Asked) bool { return false }
