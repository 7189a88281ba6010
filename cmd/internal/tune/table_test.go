package tune

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/eval"
)

// However much there is to say, it is one screen of a terminal, and what is recommended is on it.
func TestTableIsOneScreen(t *testing.T) {
	for name, change := range map[string]func(*Report){
		"truths": func(*Report) {},
		"estimate": func(r *Report) {
			r.Verify = "estimate"
		},
		"labels": func(r *Report) { r.Labelled, r.At = 25, 0 },
		"nothing": func(r *Report) {
			r.Recall = 0.9999999
		},
	} {
		r := reported(20)
		rows, source := r.Rows, r.Sources[0]
		for i := range 6 { // of other shingles
			s := source
			s.Shingle = fmt.Sprintf("word:%d", i+10)
			r.Sources = append(r.Sources, s)
			for _, row := range rows {
				row.Shingle = s.Shingle
				r.Rows = append(r.Rows, row)
			}
		}
		for i := range r.Rows { // the sample bears out some of them
			if r.Rows[i].Bands%3 == 0 {
				worse := newFigures(eval.Score{TruePositives: 21, FalsePositives: 4, FalseNegatives: 4})
				r.Rows[i].Figures, r.Rows[i].Near = worse, near(worse.Score, 20)
			}
		}
		r.Skipped = []Skipped{{r.Rows[0].Setting, strings.Repeat("for some reason, and another one, ", 20)}}
		change(r)
		r.Recommended, r.Reason = nil, ""
		for i := range r.Sources {
			r.Sources[i].Best = nil
		}
		r.choose(sourcesOf(r))
		var table strings.Builder
		if err := r.WriteTable(&table); err != nil {
			t.Fatal(err)
		}
		text := table.String()
		if n := strings.Count(text, "\n"); n > lines || n < 12 {
			t.Errorf("%s: %d lines\n%s", name, n, text)
		}
		for line := range strings.Lines(text) {
			if len([]rune(line)) > columns+2 {
				t.Errorf("%s: too long: %s", name, line)
			}
		}
		if (r.Recommended != nil) != strings.Contains(text, "\n  > ") || (r.Recommended == nil) != (name == "nothing") {
			t.Errorf("%s: recommended is %v; want it marked in the table, or none if there is nothing to recommend; the table is\n%s",
				name, r.Recommended, text)
		}
	}
}

func sourcesOf(r *Report) (all []source) {
	for _, s := range r.Sources {
		all = append(all, s.source())
	}
	return slices.Compact(all)
}

// The first shingle may have nothing to recommend: then pairs are compared with those of another, and that is said.
func TestTruthOfAnotherShingle(t *testing.T) {
	r := reported(1)
	first := r.Sources[0]
	first.Shingle, first.Best, first.at, r.Sources[0].at = "auto:3", nil, []uint64{1, 2, 3}, []uint64{2, 3, 4, 5}
	r.Sources = append(r.Sources, first)
	r.choose([]source{{"auto:3", "xxhash", false}, {"word:1", "xxhash", false}})
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"by word:1 as well", "made for word:1;", "   auto:3            25         20     5                  2"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in\n%s", want, table.String())
		}
	}
}
