package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// documents are texts of which every third is an edited copy.
func documents(n int) [][]byte {
	random := rand.New(rand.NewPCG(1, 9))
	all := make([][]byte, 0, n)
	var words []string
	for i := range n {
		if i%3 != 2 {
			words = words[:0]
			for range 80 {
				words = append(words, fmt.Sprintf("w%d", random.IntN(5000)))
			}
		}
		words[random.IntN(len(words))] = "edited"
		all = append(all, []byte(strings.Join(words, " ")))
	}
	return all
}

func tuner(n int) *Tuner {
	return &Tuner{
		Params: Params{
			Judge: index.DefaultParams(), Precision: 0.95, By: ByF1, At: 0.8, Workers: 2, MostPairs: 1_000_000,
			Grid: Grid{
				Shingles: []string{"word:1", "word:2"}, Hashes: []string{"xxhash"}, Sketches: sketch.Names(), Slots: []int{64, 128},
				Bands: []int{0, 8, 100}, Bits: []int{64}, Distances: []int{3, 9}, Thresholds: []float64{0.6, 0.8},
			},
		},
		Sample: Texts{Params: index.DefaultParams(), Documents: documents(n)}, Progress: func(string, int, int) {},
	}
}

func TestTune(t *testing.T) {
	calls := 0
	tr := tuner(600)
	tr.Progress = func(what string, done, all int) {
		if what != "settings" {
			return
		}
		if calls++; done != calls || all != 2*(2*4+2) {
			t.Errorf("%d of %d after %d", done, all, calls)
		}
	}
	report, err := tr.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	// Two shingles, each: planned bands of two slots at two thresholds, 8 bands of each, 100 bands of 128, one simhash.
	// Not tried are 100 bands of 64 slots, and the other simhash.
	if want := 2 * (2*2 + 2*2 + 2 + 2); len(report.Rows) != want || len(report.Skipped) != 2*(2+2) {
		t.Errorf("%d rows, want %d; skipped %v", len(report.Rows), want, report.Skipped)
	}
	eachOnce(t, report)
	for _, s := range report.Sources {
		if s.Pairs < 190 || s.Documents != 600 {
			t.Errorf("the source is %+v; want 190 pairs or more in 600 documents", s)
		}
	}
	for _, r := range report.Rows {
		if r.Precision != 1 || r.Planned && r.Recall < 0.97 || r.True() == 0 || r.BytesPerDocument < 64 {
			t.Errorf("the row is %+v; want copies, 64 bytes or more, precision 1 and, by planned bands, recall 0.97 or more", r)
		}
	}
	best := report.Recommended
	if best == nil || best.Threshold != 0.8 || best.F1 != 1 {
		t.Errorf("recommended %+v", best)
	}
	rendered(t, report)
}

// eachOnce makes sure that each point of the grid is in the report, as tried or with the reason why not.
func eachOnce(t *testing.T, report *Report) {
	t.Helper()
	points := map[string]int{}
	point := func(s Setting) string {
		if s.Planned {
			s.Bands, s.Rows = 0, 0
		}
		if s.Sketch == "simhash" {
			s.Bands = 0
		}
		return s.String()
	}
	for _, r := range report.Rows {
		points[point(r.Setting)]++
	}
	for _, s := range report.Skipped {
		points[point(s.Setting)]++
		if s.Setting.Threshold == 0 || s.Why == "" {
			t.Errorf("not tried: %+v", s)
		}
	}
	for name, times := range points {
		if times != 1 {
			t.Errorf("%s is there %d times", name, times)
		}
	}
	if want := 2 * 2 * (2*3 + 2); len(points) != want { // shingles, thresholds; slots and bands; distances
		t.Errorf("%d points, want %d", len(points), want)
	}
}

func rendered(t *testing.T, tried *Report) {
	t.Helper()
	tried.Skipped[0].Why = "<script>"
	var table, page bytes.Buffer
	if err := tried.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(table.String(), "\n"); lines > 22 ||
		!strings.Contains(table.String(), "recommended by f1 at 0.8: ") {
		t.Errorf("%d lines\n%s", lines, table.String())
	}
	for line := range strings.Lines(table.String()) {
		if len([]rune(line)) > 81 {
			t.Errorf("a line is too long for a terminal: %s", line)
		}
	}
	table.Reset()
	if err := tried.WriteAll(&table); err != nil ||
		strings.Count(table.String(), "\n") != 1+len(tried.Rows)+len(tried.Skipped)+2 {
		t.Errorf("WriteAll gives error %v and\n%s\nwant no error and a line for each of %d rows and %d skipped settings",
			err, table.String(), len(tried.Rows), len(tried.Skipped))
	}
	if err := tried.WritePage(&page, report.About{Title: "unecho tune"}); err != nil {
		t.Fatal(err)
	}
	html := page.String()
	if strings.Count(html, `<tr class="best">`) != 2 || !strings.Contains(html, "Why: it ") {
		t.Errorf("the page lacks the mark of what is recommended, or why:\n%s", html)
	}
	drawn := regexp.MustCompile(`(?s)<script type="application/json" id="plots">(.*?)</script>`).FindStringSubmatch(html)
	var plots []plot
	if drawn == nil || json.Unmarshal([]byte(drawn[1]), &plots) != nil || strings.Count(html, `<section id="plot-`) != len(plots) {
		t.Fatalf("the page has no plots:\n%s", html)
	}
	if len(plots) != 5 || !slices.ContainsFunc(plots[0].Lines, func(l namedLine) bool { return l.Name == "12 bands of 5 rows" && l.Best }) {
		t.Errorf("there are %d plots; want 5, and the recommended curve in the first: %.200s", len(plots), drawn[1])
	}
	if own := strings.ReplaceAll(html, "http://www.w3.org/2000/svg", ""); strings.Count(own, "<script") != 2 || strings.Contains(own, "://") {
		t.Error("the page has a script that is none of ours, or something from elsewhere")
	}
	if _, err := json.Marshal(tried); err != nil {
		t.Error(err)
	}
}

func TestTuneSkips(t *testing.T) {
	few := tuner(100)
	few.MostPairs = 3
	tried, err := few.Run(t.Context())
	if err != nil || len(tried.Rows) != 0 ||
		!strings.HasPrefix(tried.Skipped[0].Why, "more than 3 pairs reach 0.6: many documents are copies of each other; ") {
		t.Fatalf("with at most 3 pairs, there are %d rows, skipped is %v, error %v; want no rows, as more than 3 pairs reach 0.6, and no error",
			len(tried.Rows), tried.Skipped, err)
	}
	eachOnce(t, tried)
	late := tuner(100)
	late.Budget = time.Nanosecond
	tried, err = late.Run(t.Context())
	if err != nil || len(tried.Rows) != 0 || len(tried.Skipped) != 32 || tried.Recommended != nil ||
		tried.Skipped[0].Why != "the budget was spent" {
		t.Errorf("%d rows, %d skipped, %v", len(tried.Rows), len(tried.Skipped), err)
	}
	var out bytes.Buffer
	if err := tried.WriteTable(&out); err != nil || !strings.Contains(out.String(), "nothing to recommend") {
		t.Errorf("WriteTable of no rows gives %q, error %v; want nothing to recommend and no error", out.String(), err)
	}
	if err := tried.WritePage(&out, report.About{}); err != nil {
		t.Error(err)
	}
	eachOnce(t, tried)
}

// TestTuneByList: with a list, settings of its shingle are tried without and with it, and labels say what it is worth.
func TestTuneByList(t *testing.T) {
	random, template := rand.New(rand.NewPCG(39, 2)), "the template"
	for i := range 40 {
		template += fmt.Sprint(" t", i)
	}
	tr := tuner(0)
	texts := Texts{Params: tr.Judge}
	for i := range 300 {
		own := make([]string, 4)
		for k := range own {
			own[k] = fmt.Sprintf("w%d", random.IntN(5000))
		}
		texts.Documents = append(texts.Documents, []byte(strings.Join(own, " ")+" "+template))
		if i%3 == 0 {
			own[0] = "edited"
			texts.Documents = append(texts.Documents, []byte(strings.Join(own, " ")+" "+template))
			tr.Labels = append(tr.Labels, eval.Pair{A: len(texts.Documents) - 2, B: len(texts.Documents) - 1})
		}
	}
	p := &tr.Judge.Duplicates
	p.Shingle = "word:2"
	shingling, err := p.Shingling()
	if err != nil {
		t.Fatal(err)
	}
	p.Ignore, p.Ignored = "common.txt", text.Ignore("a list", shingling.AppendHashes(nil, []byte(template)))
	texts.Params, tr.Sample, tr.At = tr.Judge, texts, 0
	tr.Grid.Listed, tr.Grid.Sketches, tr.Grid.Bands = source{"word:2", "xxhash", true}, []string{"minhash"}, []int{0}
	report, err := tr.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	best := map[string]float64{}
	for _, row := range report.Rows {
		best[row.Compared()] = max(best[row.Compared()], row.F1)
	}
	if len(best) != 3 || best["word:2"] > 0.6 || best["word:2 -list"] < 0.95 {
		t.Errorf("best F1: %v", best)
	}
	if r := report.Recommended; r == nil || !r.Ignores || !strings.Contains(r.String(), "word:2 -list xxhash") {
		t.Fatalf("recommended: %v, %s", r, report.NotRecommended)
	}
	c := config.Default()
	c.Judge = tr.Judge
	yaml, err := settingYAML(c, report.Recommended.Setting)
	if err != nil || !strings.Contains(yaml, "  ignore: common.txt\n") {
		t.Errorf("ignore is missing in the settings with the list, error %v: %s", err, yaml)
	}
	tr.Labels, tr.At = nil, 0.8
	if unlabelled, err := tr.Run(t.Context()); err != nil || unlabelled.Recommended != nil && !unlabelled.Recommended.Ignores {
		t.Errorf("without labels %v is recommended, error %v; want no setting that drops the list", unlabelled.Recommended, err)
	}
	report.Recommended.Ignores = false
	if yaml, err = settingYAML(c, report.Recommended.Setting); err != nil || strings.Contains(yaml, "ignore") {
		t.Errorf("ignore stands in the settings without the list, error %v: %s", err, yaml)
	}
}

// Weighted, shingles count as often as they occur, in the truth as in the sketches.
func TestTuneWeighted(t *testing.T) {
	documents := make([][]byte, 0, 120)
	random := rand.New(rand.NewPCG(5, 5))
	for i := range 60 {
		word := fmt.Sprintf("w%d ", i)
		often := 10 + random.IntN(20)
		for _, others := range []int{0, often / 3} { // as sets they are equal
			documents = append(documents, []byte(strings.Repeat(word, often)+"x y z "+
				strings.Repeat(fmt.Sprintf("v%d ", i), 1+others)))
		}
	}
	found := map[bool]int{}
	for _, weighted := range []bool{false, true} {
		p := index.DefaultParams()
		p.Duplicates.Weighted = weighted
		tr := tuner(0)
		tr.Sample, tr.Judge = Texts{Params: p, Documents: documents}, p
		tr.Grid.Shingles, tr.Grid.Thresholds, tr.Grid.Bands = []string{"word:1"}, []float64{0.8}, []int{0}
		report, err := tr.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range report.Sources {
			found[weighted] = s.Pairs
		}
		for _, r := range report.Rows {
			if r.Sketch == "minhash" && (r.Precision != 1 || r.Recall < 0.9) {
				t.Errorf("weighted %v: %+v", weighted, r)
			}
		}
	}
	if found[false] != 60 || found[true] >= 40 || found[true] == 0 {
		t.Errorf("%v pairs", found)
	}
}

// Stopped in the middle, by a signal, Run reports what it has.
func TestTuneStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	tr := tuner(300)
	tr.Workers = 1
	tr.Progress = func(what string, done, _ int) {
		if what == "settings" && done == 3 {
			stop()
		}
	}
	report, err := tr.Run(ctx)
	if err != nil || report.Settings() == 0 || len(report.Skipped) == 0 || err != nil {
		t.Fatalf("%d tried, %d skipped, %v", report.Settings(), len(report.Skipped), err)
	}
	eachOnce(t, report)
	if last := report.Skipped[len(report.Skipped)-1]; last.Why != "stopped" || last.Setting.Shingle != "word:2" {
		t.Errorf("the last skipped setting is %+v; want one of shingle word:2 that was stopped", last)
	}
}

// What both kinds of samples have in common: words given as tokens are the words of the text.
func TestTokensAreWords(t *testing.T) {
	texts := Texts{Params: index.DefaultParams(), Documents: documents(30)}
	var tokens Tokens
	for _, d := range texts.Documents {
		tokens.Documents = append(tokens.Documents, bytes.Fields(d))
	}
	for _, hash := range []string{"xxhash", "sha1"} {
		for _, shingle := range []string{"word:1", "word:3", "auto:2"} {
			want, err := texts.Sets(source{shingle, hash, false})
			got, err2 := tokens.Sets(source{shingle, hash, false})
			if err != nil || err2 != nil || !slices.EqualFunc(got, want, slices.Equal) || len(got) != 30 {
				t.Errorf("%s of %s: the tokens give %d sets, error %v, the texts error %v; want the same 30 sets and no errors",
					shingle, hash, len(got), err2, err)
			}
			p := texts.Params
			p.Duplicates.Shingle, p.Duplicates.Hash = shingle, hash
			a, err := texts.Sign(p)
			b, err2 := tokens.Sign(p)
			same := func(a, b entry.Entry) bool { return bytes.Equal(a.Keys, b.Keys) && bytes.Equal(a.Evidence, b.Evidence) }
			if err != nil || err2 != nil || !slices.EqualFunc(a, b, same) || len(a[0].Evidence) < 80 {
				t.Errorf("%s %s: the texts are signed as %v, error %v, the tokens as %v, error %v; want the same", shingle, hash, a, err, b, err2)
			}
		}
	}
	if _, err := tokens.Sets(source{"char:5", "xxhash", false}); err == nil || !strings.Contains(err.Error(), "write word:N") {
		t.Errorf("characters of tokens: %v", err)
	}
}

// With verify: estimate the distance decides of a SimHash, whatever the threshold is.
func TestDistanceDecidesOfSimHash(t *testing.T) {
	tr := tuner(300)
	tr.Judge.Duplicates.Verify = "estimate"
	tr.Grid.Sketches, tr.Grid.Shingles, tr.Grid.Distances = []string{"simhash"}, []string{"word:1"}, []int{3}
	report, err := tr.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	left := func(i int) int { return report.Rows[i].TruePositives + report.Rows[i].FalsePositives }
	if len(report.Rows) != 2 || left(0) != left(1) || left(0) == 0 {
		t.Errorf("the rows are %+v; want two, by which the same number of documents leave, and some", report.Rows)
	}
}

// What tune says is what a replica does: a bound that leaves nothing to compare finds nothing.
func TestTuneKeepsBounds(t *testing.T) {
	tr := tuner(300)
	tr.Judge.Duplicates.MaxCandidates, tr.Judge.Duplicates.MaxReferences, tr.Judge.Duplicates.MaxWork = 1, 1, 1
	tr.Grid.Sketches = []string{"minhash"}
	report, err := tr.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Rows {
		if r.Near.TruePositives > 0 || r.FalseNegatives == 0 || r.UniqueCut == 0 {
			t.Errorf("the row is %+v; want none found but what is identical, and documents that were cut", r)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := tuner(1).Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Params){
		"--by x":            func(p *Params) { p.By = "x" },
		"--method x":        func(p *Params) { p.Grid.Sketches = []string{"x"} },
		"to four decimals":  func(p *Params) { p.Grid.Thresholds = append(p.Grid.Thresholds, 0.80001) },
		"--threshold 0:":    func(p *Params) { p.Grid.Thresholds = append(p.Grid.Thresholds, 0) },
		"need at least one": func(p *Params) { p.Grid.Shingles = nil },
		"needs --slots":     func(p *Params) { p.Grid.Slots = nil },
		"needs --bits":      func(p *Params) { p.Grid.Bits = nil },
		"--bands -1":        func(p *Params) { p.Grid.Bands = []int{-1} },
		"--budget -1s":      func(p *Params) { p.Budget = -time.Second },
	} {
		p := tuner(1).Params
		change(&p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
