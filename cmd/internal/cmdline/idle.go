package cmdline

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
)

// Asked is a command line whose flags are asked whether they decide something.
type Asked struct {
	*cobra.Command
	Paths  []string // files and directories that it names
	Config config.Config
}

// Has says whether one of these flags was given.
func (g *Asked) Has(flags ...string) bool {
	for _, name := range flags {
		if flag := g.Flag(name); flag != nil && flag.Changed {
			return true
		}
	}
	return false
}

// Value returns the value of a flag; empty if the verb has none of that name.
func (g *Asked) Value(name string) string {
	if flag := g.Flag(name); flag != nil {
		return flag.Value.String()
	}
	return ""
}

// Rule says when flags decide something.
type Rule struct {
	Flags string              // their names, with blanks between them
	When  func(g *Asked) bool // nil: always
	Why   string              // they do not, behind the name of the flag, and what to do
}

// RefuseIdle refuses the first flag that was given and decides nothing. A flag may have several rules.
func RefuseIdle(g *Asked, rules []Rule) error {
	for _, r := range rules {
		for name := range strings.FieldsSeq(r.Flags) {
			if r.When != nil && g.Has(name) && !r.When(g) {
				return exit.Usage(fmt.Errorf("--%s %s", name, r.Why))
			}
		}
	}
	return nil
}

// These tables have each flag of the verbs about files, and when it decides something: where it does not, it is refused. Settings
// of duplicates that decide nothing beside others are refused as settings (index.DuplicatesParams.Idle), the sketch's own too.

// TextFlags are those of normalize. Where a verb writes no page, html is one of them.
const TextFlags = "accents digits ids max-bytes punctuation space normalize-html urls"

// SettingRules are those of settings that are flags.
func SettingRules() []Rule {
	return []Rule{
		{Flags: "config set scope max-document-bytes reject " + TextFlags},
		{Flags: "shingle hash method slots bands rows bits distance threshold verify evidence max-candidates " +
			"max-references max-work ignore"},
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
