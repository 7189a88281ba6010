package main

import (
	"os"
	"slices"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/internal/corpus"
)

// These tables have each flag of the verbs about files, and when it decides something: where it does not, it is refused. Settings
// of similarity that decide nothing beside others are refused as settings (index.SimilarityParams.Idle), the sketch's own too.

// textFlags are those of text. Where a verb writes no page, html is one of them.
const textFlags = "accents digits ids max-bytes punctuation space text-html urls"

// settingRules are those of settings that are flags.
func settingRules() []cmdline.Rule {
	return []cmdline.Rule{
		{Flags: "config preset set scope document-max-bytes invalid-utf8 empty " + textFlags},
		{Flags: "shingle hash sketch slots bands rows bits distance blocks threshold verify evidence key-bytes max-candidates " +
			"max-references max-work"},
	}
}

// judgeRules are those of settings where one of each is in force, and none are tried side by side.
func judgeRules() []cmdline.Rule {
	return []cmdline.Rule{
		{Flags: "weighted", When: func(g *cmdline.Asked) bool {
			s := &g.Config.Judge.Similarity
			return s.Verify != "levenshtein" || s.Sketch != "minhash"
		}, Why: "decides nothing with --verify levenshtein, for which a shingle always counts as often as it occurs: leave it out"},
		{
			Flags: "recall plan", When: func(g *cmdline.Asked) bool { return g.Config.Judge.Similarity.Bands == 0 },
			Why: "plans bands and rows, which are given: leave out one of them",
		},
		{
			Flags: "recall", When: func(g *cmdline.Asked) bool { return g.Config.Judge.Similarity.Plan != "area" },
			Why: "decides nothing with --plan area, which keeps none: leave out one of them",
		},
	}
}

func codeRule() cmdline.Rule {
	return cmdline.Rule{Flags: "code-bits", When: func(g *cmdline.Asked) bool {
		return g.Config.Judge.Similarity.Verify == "estimate" || g.Has("verbose")
	}, Why: "is about codes of sketches, which --verify estimate compares, and only that: leave it out"}
}

// layoutRules are those of what is a document in a file.
func layoutRules() []cmdline.Rule {
	rules := []cmdline.Rule{
		{Flags: "format strict"},
		{Flags: "missing", When: func(g *cmdline.Asked) bool {
			if len(g.Paths) == 0 && !g.Has("files-from") { // records of a cluster
				return len(g.Config.Document.Fields) > 1 || len(g.Config.Document.ByTopic) > 0
			}
			p, err := corpusParams(g.Command, g.Config)
			return err != nil || len(p.Fields) > 1
		}, Why: "is about one of several fields, and --fields names one: a document without it is rejected in any case"},
	}
	for _, flag := range corpus.LayoutFlags() {
		rules = append(rules, cmdline.Rule{
			Flags: flag, When: func(g *cmdline.Asked) bool { return corpus.Decides(flag, g.Value("format")) },
			Why: "decides nothing in files of that --format: leave out one of them",
		})
	}
	return rules
}

// corpusRules are those of which files are read, and how.
func corpusRules() []cmdline.Rule {
	return append(layoutRules(),
		cmdline.Rule{Flags: "files-from"},
		cmdline.Rule{
			Flags: "null", When: func(g *cmdline.Asked) bool { return g.Has("files-from") },
			Why: "(-0) is about a list of names: name one by --files-from",
		},
		cmdline.Rule{Flags: "include", When: func(g *cmdline.Asked) bool {
			return slices.ContainsFunc(g.Paths, func(path string) bool {
				info, err := os.Stat(path)
				return err != nil || info.IsDir() // what is not there is reported when it is opened
			})
		}, Why: "says which files of a directory are read, and none is named: leave it out"})
}

func evalRules() []cmdline.Rule {
	return slices.Concat(settingRules(), judgeRules(), corpusRules(), []cmdline.Rule{codeRule(), {Flags: "pairs clusters list html json"}})
}

func sketchRules() []cmdline.Rule {
	return slices.Concat(settingRules(), judgeRules(), corpusRules(), []cmdline.Rule{
		{Flags: "evidence max-candidates max-work", When: never, Why: "is about how documents are compared, and none are: leave it out"},
		{Flags: "json code-bits html"},
	})
}

func never(*cmdline.Asked) bool { return false }

// planRules are those of a plan, by what is measured in files or by what flags say.
func planRules() []cmdline.Rule {
	measured := func(g *cmdline.Asked) bool { return len(g.Paths) > 0 || g.Has("files-from") }
	return slices.Concat([]cmdline.Rule{
		{
			Flags: "format fields id missing delimiter lenient-quotes strict include null document-max-bytes invalid-utf8", When: measured,
			Why: "is about files, and none is named: leave it out",
		},
		{Flags: "id-bytes evidence-bytes", When: func(g *cmdline.Asked) bool { return !measured(g) }, Why: "is measured in the files: leave it out"},
		{Flags: "max-candidates max-work", When: never, Why: "is about how documents are compared, and none are: leave it out"},
		{Flags: "documents json html age count bytes clock tolerance late requests refresh reemit-every"},
	}, settingRules(), judgeRules(), corpusRules(), []cmdline.Rule{codeRule()})
}

func explainRules(files []string) []cmdline.Rule {
	inFiles := func(*cmdline.Asked) bool { return len(files) > 0 }
	return slices.Concat([]cmdline.Rule{
		{Flags: "format fields id delimiter lenient-quotes strict", When: inFiles, Why: "is about a file with documents: name it by --in"},
		{Flags: "dir", When: func(*cmdline.Asked) bool { return len(files) == 0 }, Why: "is about records of a cluster, and A and B are in files"},
		{Flags: "normal shared", When: func(g *cmdline.Asked) bool { return !g.Has("json") }, Why: "is in --json already: leave it out"},
		{Flags: "in json code-bits html"},
	}, settingRules(), judgeRules(), layoutRules())
}

// tuneRules are those of a grid with these sketches.
func tuneRules(sketches []string) []cmdline.Rule {
	tries := func(sketch string) func(*cmdline.Asked) bool {
		return func(*cmdline.Asked) bool { return slices.Contains(sketches, sketch) }
	}
	const untried = "is of a sketch that is not tried: add it to --sketch, or leave this out"
	return slices.Concat([]cmdline.Rule{
		{Flags: "documents from to dir", When: func(g *cmdline.Asked) bool { return g.Has("topic") }, Why: "is about a topic: name one by --topic"},
		{
			Flags: "include null format fields id delimiter lenient-quotes strict", When: func(g *cmdline.Asked) bool { return !g.Has("topic") },
			Why: "is about files, and documents come from --topic: leave it out",
		},
		{
			Flags: "fields missing scope document-max-bytes invalid-utf8 " + textFlags,
			When:  func(g *cmdline.Asked) bool { return !g.Has("tokens") }, Why: "is about texts, and --tokens takes tokens as they are: leave it out",
		},
		{Flags: "all", When: func(g *cmdline.Asked) bool {
			return !g.Has("json") && g.Value("html") != corpus.Stdin && g.Value("yaml") != corpus.Stdin
		}, Why: "is about the table, which is not written: leave it out"},
		{Flags: "slots bands recall", When: tries("minhash"), Why: untried},
		{Flags: "bits distance", When: tries("simhash"), Why: untried},
		{Flags: "topic tokens pairs sample sample-bytes seed grid by at min-precision html yaml json budget brute-force weighted"},
	}, settingRules(), corpusRules(), []cmdline.Rule{codeRule()})
}

// dedupRules are those of a run with these options.
func dedupRules(o *dedup.Options) []cmdline.Rule {
	const whole = "is for whole documents, and --unit compares their parts by normal form: leave out one of them, or remove parts " +
		"first and compare what is left in a second run"
	parts := func(g *cmdline.Asked) bool { return g.Has("unit") }
	return slices.Concat([]cmdline.Rule{
		{Flags: "part-bytes repeats removed", When: parts, Why: "goes with --unit, which says what a part is"},
		{Flags: "index index-file save-index pairs clusters groups representative verbose matches checkpoint checkpoint-every passes html " +
			"threshold shingle hash weighted sketch slots plan recall bands rows bits distance blocks verify evidence code-bits key-bytes " +
			"max-candidates max-references max-work", When: func(g *cmdline.Asked) bool { return !parts(g) }, Why: whole},
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
			Flags: "max-candidates max-references max-work key-bytes", When: func(*cmdline.Asked) bool { return !o.Rotated },
			Why: "is of an index, and a --distance beyond that of blocks has none: leave it out",
		},
	}, settingRules(), judgeRules(), corpusRules(), []cmdline.Rule{codeRule()})
}
