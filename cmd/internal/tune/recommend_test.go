package tune

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
)

// tried is a row of a setting with so many slots, which found so many of the true pairs, of which so many are
// identical.
func tried(slots int, curve float64, found, missed, identical int, cost, bytes, seconds float64) *Row {
	all := eval.Score{TruePositives: found, FalseNegatives: missed}
	return &Row{
		Setting: Setting{Sketch: "minhash", Slots: slots, Bands: 9, Rows: 5, Threshold: 0.8}, Curve: curve,
		Figures: newFigures(all), Near: near(all, identical), CostNanoseconds: cost,
		BytesPerDocument: bytes, Seconds: seconds,
	}
}

// near leaves out true positives that are identical.
func near(s eval.Score, identical int) Figures {
	s.TruePositives -= identical
	return newFigures(s)
}

func byCost() criterion { return criterion{by: ByCost, recall: 0.98, precision: 0.95} }

func TestRecommend(t *testing.T) {
	rows := func() []*Row {
		return []*Row{
			tried(1, 0.50, 1000, 0, 900, 100, 10, 1),  // cheap, and finds whatever is in the sample, but not what is at 0.8
			tried(2, 0.99, 1000, 0, 900, 300, 300, 4), // all
			tried(3, 0.981, 999, 1, 900, 250, 200, 5),
			tried(4, 0.985, 990, 10, 900, 200, 200, 3), // its curve promises more than it found
			tried(5, 0.999, 999, 1, 900, 400, 400, 2),
		}
	}
	for by, want := range map[string]int{ByCost: 3, ByRecall: 2, ByF1: 2, ByMemory: 3, BySpeed: 5, ByPrecision: 2} {
		best, why := criterion{by: by, recall: 0.98, precision: 0.95}.recommend(rows())
		if best == nil || why != "" || best.Slots != want {
			t.Errorf("by %s: %+v, %s, want %d", by, best, why, want)
		}
	}
	all := rows()
	best, _ := byCost().recommend(all)
	if got, want := byCost().reason(best, all), "it costs the least of the 3 that "+
		"the sample bears out among 4 settings that each find at least 98 % of the pairs at 0.8 by the curve of the bands; "+
		"here it found 99 of 100 near copies (900 more are identical, which every setting finds)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if last := all[len(all)-1]; last.Slots != 1 {
		t.Errorf("the last is %+v", last)
	}
}

// What costs nearly the same in a window that is computed is as cheap: then memory decides.
func TestCostsAreNotExact(t *testing.T) {
	rows := []*Row{tried(1, 0.99, 9, 0, 0, 1000, 500, 1), tried(2, 0.99, 9, 0, 0, 1090, 300, 1), tried(3, 0.99, 9, 0, 0, 1110, 100, 1)}
	best, _ := byCost().recommend(rows)
	if best.Slots != 2 || rows[1].Slots != 1 || rows[2].Slots != 3 {
		t.Errorf("recommended is the setting of %d slots, and the rows are those of %d, %d and %d slots; want 2, and 2, 1 and 3",
			best.Slots, rows[0].Slots, rows[1].Slots, rows[2].Slots)
	}
	if got := byCost().reason(best, rows); !strings.HasPrefix(got, "it takes the least memory of what costs about the least "+
		"of the 3 settings that each find ") {
		t.Errorf("the reason is %q; want the least memory of what costs about the least of 3 settings", got)
	}
}

// Identical pairs say nothing about a setting: the curve alone does.
func TestRecommendAmongIdentical(t *testing.T) {
	rows := []*Row{tried(1, 0.001, 500, 0, 500, 1, 1, 1), tried(2, 0.98, 500, 0, 500, 2, 2, 2)}
	best, _ := byCost().recommend(rows)
	if best == nil || best.Slots != 2 {
		t.Fatalf("recommended is %+v; want the setting of 2 slots", best)
	}
	if got := byCost().reason(best, rows); got != "it is the only setting that finds at least 98 % of the "+
		"pairs at 0.8 by the curve of the bands; the sample cannot confirm that, as all its 500 copies are identical, "+
		"which every setting finds" {
		t.Errorf("the reason is %q; want the only setting that finds 98 %% by its curve, which identical pairs cannot confirm", got)
	}
}

func TestNotRecommended(t *testing.T) {
	far := &Row{
		Setting: Setting{Sketch: "simhash", Bits: 64, Distance: 3, Threshold: 0.8},
		Figures: newFigures(eval.Score{TruePositives: 5, FalseNegatives: 5}),
		Near:    newFigures(eval.Score{FalseNegatives: 5}),
	}
	identical := *far
	identical.Near = newFigures(eval.Score{})
	for want, rows := range map[string][]*Row{
		"no setting was tried to its end":                          nil,
		"no two documents of the sample reach 0.8, so nothing cou": {tried(1, 1, 0, 0, 0, 1, 1, 1)},
		"no setting that was tried finds 98 % of the pairs at 0.8 by the curve of its bands: the nearest, 9 bands of 5 rows " +
			"in 2 slots, finds 97.99 %; take --bands 0, ": {tried(1, 0.5, 9, 0, 0, 1, 1, 1), tried(2, 0.97999, 9, 0, 0, 1, 1, 1)},
		"no setting that was tried finds 98 % of the pairs at 0.8: the nearest, simhash of 64 bits, distance 3, found 0 % " +
			"of the near pairs; ": {far},
		"simhash of 64 bits, distance 3 has no curve of its own, and the sample has no near pair": {&identical},
	} {
		if best, why := byCost().recommend(rows); best != nil || !strings.HasPrefix(why, want) {
			t.Errorf("%+v, %s, want %s", best, why, want)
		}
	}
}

// TestRecallIsKept tries grids at random on documents most of whose pairs are identical. What is recommended finds, by
// its own curve, as much as was asked for; and where a plan was among what was tried, something is recommended.
func TestRecallIsKept(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	texts := documents(60)
	for range 60 {
		texts = append(texts, texts[random.IntN(20)])
	}
	some := func(of []int) []int {
		of = slices.Clone(of)
		random.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		return of[:1+random.IntN(len(of))]
	}
	recommended := 0
	for run := range 60 {
		tr := tuner(0)
		tr.Sample = Texts{Params: index.DefaultParams(), Documents: texts}
		tr.Judge.Duplicates.Recall = []float64{0.5, 0.9, 0.98, 0.999}[random.IntN(4)]
		tr.At = []float64{0.6, 0.8}[random.IntN(2)]
		tr.By = Bys()[random.IntN(len(Bys()))]
		tr.Judge.Duplicates.Verify = []string{"jaccard", "estimate"}[random.IntN(2)]
		tr.Precision = 0
		tr.Grid.Slots, tr.Grid.Bands = some([]int{0, 32, 64, 100, 200}), some([]int{0, 2, 5, 10, 20})
		tr.Grid.Sketches = []string{"minhash"}
		report, err := tr.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		best := report.Recommended
		name := fmt.Sprintf("run %d, %v slots, %v bands, recall %v at %v", run, tr.Grid.Slots, tr.Grid.Bands, tr.Judge.Duplicates.Recall, tr.At)
		if best == nil {
			if slices.Contains(tr.Grid.Slots, 0) && slices.Contains(tr.Grid.Bands, 0) {
				t.Errorf("%s: nothing is recommended, as %s; want a setting, since planned bands are in the grid", name, report.NotRecommended)
			}
			continue
		}
		recommended++
		if b := (sketch.Banding{Bands: best.Bands, Rows: best.Rows}); b.Probability(tr.At) < tr.Judge.Duplicates.Recall ||
			best.Threshold != tr.At || report.Reason == "" || b.Bands*b.Rows > best.Slots {
			t.Errorf("%s: recommended is %+v, as %q; want this recall by the bands, this threshold, bands within the slots, and a reason",
				name, best, report.Reason)
		}
	}
	if recommended < 20 {
		t.Errorf("%d recommended", recommended)
	}
}

// The report says that each shingle has a truth of its own, and recommends for the configured one, whatever looks
// better by another.
func TestTruths(t *testing.T) {
	for configured, want := range map[string]string{"word:2": "word:2", "word:1": "word:1", "auto:3": "word:1"} {
		tr := tuner(0)
		texts := documents(90)
		edited := bytes.Fields(texts[0])
		for i := range 8 { // costs 8 words of 80, and 16 runs of two
			edited[10*i+5] = []byte("other")
		}
		tr.Sample = Texts{Params: index.DefaultParams(), Documents: append(texts, bytes.Join(edited, []byte(" ")))}
		tr.Judge.Duplicates.Shingle = configured
		report, err := tr.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if report.Recommended.Shingle != want || report.Sources[0].Shingle != want || report.Rows[0].Shingle != want ||
			report.Rows[0].Threshold != 0.8 {
			t.Errorf("%s: %v, rows begin with %v", configured, report.Recommended.Setting, report.Rows[0].Setting)
		}
		var table bytes.Buffer
		if err := report.WriteTable(&table); err != nil || !strings.Contains(table.String(), "has a truth of its own") {
			t.Errorf("WriteTable of shingle %s gives error %v and\n%s\nwant a word on the shingle that has a truth of its own",
				configured, err, table.String())
		}
		for i, s := range report.Sources {
			if s.Best == nil || s.Best.Shingle != s.Shingle || s.Common > s.At || i == 0 && s.Common != s.At || s.Common == 0 {
				t.Errorf("source %d is %+v; want a best setting of its shingle and common pairs, at most its own", i, s)
			}
		}
	}
}

// Labelled pairs are one truth: settings of all shingles and thresholds are weighed, and among equal ones that of the
// configured shingle is taken.
func TestTuneByLabels(t *testing.T) {
	for configured, want := range map[string]string{"word:2": "word:2", "word:1": "word:1"} {
		tr := tuner(90) // every third document is an edited copy of the one before
		for i := 2; i < 90; i += 3 {
			tr.Labels = append(tr.Labels, eval.Pair{A: i - 1, B: i})
		}
		tr.Labels = append(tr.Labels, eval.Pair{A: 0, B: 3}) // which no setting finds
		tr.Judge.Duplicates.Shingle, tr.At, tr.By, tr.Grid.Sketches = configured, 0, ByCost, []string{"minhash"}
		tried, err := tr.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		best := tried.Recommended
		if best == nil || best.Shingle != want || best.Threshold != 0.8 || best.TruePositives != 30 || best.FalseNegatives != 1 || best.FalsePositives != 0 {
			t.Errorf("configured as %s, recommended is %+v; want shingle %s at 0.8 with 30 true positives, 1 false negative, 0 false positives",
				configured, best, want)
		}
		if tried.Labelled != 31 || !strings.Contains(tried.Reason, ", with the configured shingle and threshold, of the ") || !strings.HasSuffix(tried.Reason, "it finds 30 of 31 labelled copies, and takes 0 "+
			"other documents for one") {
			t.Errorf("of %d labelled pairs, the reason is %q; want 31, the configured shingle, 30 pairs found and 0 that are not labelled",
				tried.Labelled, tried.Reason)
		}
		for i, row := range tried.Rows {
			if row.True() != 31 || i > 0 && row.Near.F1 > best.Near.F1 {
				t.Errorf("row %d is %+v; want 31 true pairs, and, if verified, no greater F1 of near pairs than recommended", i, row)
			}
		}
		var page, table bytes.Buffer
		if err := errors.Join(tried.WriteTable(&table), tried.WritePage(&page, report.About{})); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), "The truth is 31 labelled pairs") || strings.Count(table.String(), "\n") > 22 ||
			!strings.Contains(page.String(), "F1 of near copies") {
			t.Errorf("the table is\n%s\nand the page\n%s\nwant at most 22 lines, and a page with 31 labelled pairs and the F1 of near pairs",
				table.String(), page.String())
		}
	}
}
