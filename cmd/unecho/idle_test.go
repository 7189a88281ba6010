package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/cmd/internal/explain"
	"github.com/unecho/unecho/cmd/internal/tune"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/ignore"
)

// ruled are the verbs that have each of their flags in a table.
func ruled() map[*cobra.Command][]cmdline.Rule {
	return map[*cobra.Command][]cmdline.Rule{
		dedup.Command(""): dedup.Rules(&dedup.Options{}), tune.EvalCommand(""): tune.EvalRules(), tune.Command(""): tune.Rules(), tune.CommonCommand(): tune.CommonRules(), explain.Command(): explain.Rules(nil),
		explain.PlanCommand(): explain.PlanRules(),
	}
}

// idleFlags are command lines beside which flags decide nothing.
func idleFlags() []struct{ line, flags string } {
	return []struct{ line, flags string }{
		{"dedup --format lines a.txt", "fields id delimiter lenient-quotes"},
		{"dedup --format text a.txt", "fields id delimiter lenient-quotes"},
		{"dedup --format jsonl a.jsonl", "delimiter lenient-quotes"},
		{"dedup a.txt", "fields lenient-quotes null include"},
		{"dedup a.jsonl", "lenient-quotes part-bytes repeats removed checkpoint-every"},
		{"dedup --unit line a.jsonl", "index index-file save-index pairs clusters groups representative verbose matches checkpoint " +
			"checkpoint-every directory html threshold shingle hash weighted method slots plan recall bands rows bits distance verify " +
			"evidence max-candidates max-references max-work compare-copies ignore"},
		{"dedup --index a.jsonl --save-index a.index", "unique duplicates pairs clusters groups rejected cut annotated html representative verbose"},
		{"dedup --json a.jsonl", "keep-rejected"},
		{"dedup --method simhash --distance 9 --verify estimate a.jsonl", "max-candidates max-references max-work directory"},
		{"dedup --verify levenshtein --shingle char:4 a.jsonl", "weighted"},
		{"dedup --bands 10 --rows 5 --slots 64 a.jsonl", "recall plan"},
		{"dedup --plan area a.jsonl", "recall"},
		{"eval --pairs a.tsv --format lines a.txt", "fields id delimiter lenient-quotes"},
		{"eval --pairs a.tsv a.jsonl", "null include compare-copies"},
		{"eval --pairs a.tsv --verify levenshtein --shingle char:4 a.jsonl", "weighted"},
		{"eval --pairs a.tsv --bands 10 --rows 5 --slots 64 a.jsonl", "recall plan"},
		{"tune --format lines a.txt", "fields id delimiter lenient-quotes"},
		{"tune a.txt", "documents from to bits distance null include"},
		{"tune --method simhash a.txt", "slots bands recall"},
		{"tune --hash sha1 a.txt", "ignore"},
		{"tune --topic news", "include null format fields id delimiter lenient-quotes strict"},
		{"tune --tokens tokens a.jsonl", "fields scope max-document-bytes reject ignore " + cmdline.TextFlags},
		{"tune --json a.txt", "all"},
		{"common --format lines a.txt", "fields id delimiter lenient-quotes"},
		{"common a.txt", "documents from to null include"},
		{"common --topic news", "include null format fields id delimiter lenient-quotes strict"},
		{"plan --documents 9", "format fields id delimiter lenient-quotes strict include null max-document-bytes reject max-candidates max-work"},
		{"plan --documents 9 a.txt", "id-bytes evidence-bytes null include"},
		{"plan --documents 9 --refresh last", "disk-reads"},
		{"plan --documents 9 --verify levenshtein --shingle char:4", "weighted"},
		{"plan --documents 9 --bands 10 --rows 5 --slots 64", "recall plan"},
		{"explain one two", "compare-copies format fields id delimiter lenient-quotes strict"},
		{"explain --in a.txt --format lines 1 2", "fields id delimiter lenient-quotes"},
		{"explain --json one two", "normal shared"},
		{"explain --verify levenshtein --shingle char:4 one two", "weighted"},
		{"explain --bands 10 --rows 5 --slots 64 one two", "recall plan"},
	}
}

// TestEachFlagHasARule: each flag of a verb about files stands in its table, and so does nothing else; and each rule by which flags
// may decide nothing is tried by TestIdleFlags.
func TestEachFlagHasARule(t *testing.T) {
	tried := map[string]bool{}
	for _, c := range idleFlags() {
		verb, _, _ := strings.Cut(c.line, " ")
		for name := range strings.FieldsSeq(c.flags) {
			tried[verb+" --"+name] = true
		}
	}
	for cmd, rules := range ruled() {
		var named []string
		for _, r := range rules {
			for name := range strings.FieldsSeq(r.Flags) {
				named = append(named, name)
				if flag := cmd.Name() + " --" + name; r.When != nil && cmd.Flag(name) != nil && !tried[flag] {
					t.Errorf("no command line shows when %s decides nothing", flag)
				}
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !slices.Contains(named, f.Name) {
				t.Errorf("%s --%s: no rule says when it decides something", cmd.Name(), f.Name)
			}
		})
	}
}

// TestIdleFlags: a flag that decides nothing is refused with the reason.
func TestIdleFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	list, err := new(ignore.List).Append(nil, index.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a.txt": "the harbour bridge\na flat near the park\n", "a.tsv": "1\t2\n", "common.txt": string(list),
		"a.jsonl": `{"text":"the harbour bridge","tokens":["a","b"]}` + "\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	values := map[string]string{
		"fields": "text", "id": "id", "delimiter": ";", "include": "*.md", "checkpoint-every": "1m",
		"representative": "last", "matches": "all", "threshold": "0.9", "shingle": "word:2", "hash": "sha1", "method": "minhash",
		"slots": "64", "plan": "recall", "recall": "0.9", "bands": "10", "rows": "6", "bits": "64", "distance": "3", "verify": "jaccard",
		"evidence": "text", "max-candidates": "9", "max-references": "9", "max-work": "9", "part-bytes": "9", "repeats": "2",
		"documents": "9", "id-bytes": "9", "evidence-bytes": "9", "disk-reads": "9", "from": "24h", "to": "1h", "format": "jsonl", "scope": "field:tenant", "max-document-bytes": "1KiB", "reject": "empty",
		"accents": "strip", "digits": "mask", "ids": "mask", "max-bytes": "1KiB", "punctuation": "keep", "space": "collapse", "normalize-html": "strip",
		"urls": "mask", "weighted": "true", "ignore": "common.txt",
	}
	root := rootCommand()
	for _, c := range idleFlags() {
		for name := range strings.FieldsSeq(c.flags) {
			flag := "--" + name
			args := strings.Fields(c.line)
			cmd, _, err := root.Find(args)
			if err != nil {
				t.Fatal(err)
			}
			switch value, known := values[name]; {
			case known:
				flag += "=" + value
			case cmd.Flag(name).Value.Type() != "bool":
				flag += "=file"
			}
			args = slices.Insert(args, 1, flag)
			var stdout, stderr bytes.Buffer
			code := run(args, &stdout, &stderr)
			said := stderr.String()
			asSetting := strings.Contains(said, "\nunecho: 1 mistake in the configuration\n") // beside the other settings
			if code != 2 || !strings.Contains(said, "unecho: --"+name+" ") && !asSetting {
				t.Errorf("unecho %s: exit code %d, %q; want 2, and why %s decides nothing", strings.Join(args, " "), code, said, flag)
			}
		}
	}
}
