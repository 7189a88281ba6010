package tune

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/eval"
)

// Documents are judged within the bounds of dedup and the service: what these leave out is missed, and that is told.
func TestEvalKeepsBounds(t *testing.T) {
	for _, bound := range []int{1, 1000} {
		judge := config.Default().Judge
		judge.Duplicates.MaxCandidates, judge.Duplicates.MaxReferences, judge.Duplicates.MaxWork = bound, bound, bound
		d, err := New(judge, document.DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		var truth []eval.Pair
		for i := range 10 {
			text := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
				"eighteen nineteen twenty and so on to the last of them which is the number " + strconv.Itoa(i)
			d.Add(strconv.Itoa(i), &corpus.Record{Text: []byte(text)})
			for k := range i {
				truth = append(truth, eval.Pair{A: k, B: i})
			}
		}
		result, err := d.Against(truth, 100)
		if err != nil {
			t.Fatal(err)
		}
		if bound > 1 {
			if result.Recall != 1 || result.Duplicate != 9 || result.UniqueCut > 0 {
				t.Errorf("the result is %+v; want 9 duplicates, a recall of 1 and none cut", result)
			}
			continue
		}
		if result.Recall != 0 || result.UniqueCut != 9 || len(result.Missed) != 9 || result.Missed[0].Why != "left out by a bound" {
			t.Errorf("with bounds of 1 the result is %+v; want a recall of 0, and 9 documents that were left out by a bound", result)
		}
	}
}

// The most similar of many are kept, in order, whatever the order in which they come.
func TestMostSimilarWrong(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for most := range 6 {
		w := wrongs{most: max(1, most)}
		var all []float64
		for range 40 {
			x := Wrong{Similarity: float64(random.IntN(20)) / 20}
			all = append(all, x.Similarity)
			w.add(x)
		}
		slices.Sort(all)
		slices.Reverse(all)
		var got []float64
		for _, x := range w.kept {
			got = append(got, x.Similarity)
		}
		if !slices.Equal(got, all[:w.most]) {
			t.Errorf("%v, want %v", got, all[:w.most])
		}
	}
}

// The page has both texts of a wrong pair side by side, as text and not as markup.
func TestEvalPage(t *testing.T) {
	judge := config.Default().Judge
	judge.Duplicates.Shingle, judge.Duplicates.Threshold = "word:1", 0.6
	d, err := New(judge, document.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	d.KeepTexts()
	for i, text := range []string{
		"we all scream for <script>alert(1)</script> ice", "we all scream for <script>alert(1)</script> snow",
		"one and the same", "something quite different " + strings.Repeat("ä", 2000), "",
	} {
		d.Add(fmt.Sprintf("id<%d>", i), &corpus.Record{Text: []byte(text)})
	}
	result, err := d.Against([]eval.Pair{{A: 2, B: 3}, {A: 3, B: 4}}, 10)
	if err != nil || len(result.Positives) != 1 || len(result.Missed) != 2 {
		t.Fatalf("Against gives %+v, error %v; want 1 positive, 2 missed pairs and no error", result, err)
	}
	var page bytes.Buffer
	about := report.About{Title: "unecho eval", Inputs: []string{"x.jsonl"}, Made: time.Now(), Version: "v1"}
	if err := d.WritePage(&page, about, result, "labels.tsv"); err != nil {
		t.Fatal(err)
	}
	html := page.String()
	for _, want := range []string{
		"<del>ice</del>", "<ins>snow</ins>", "id&lt;0&gt;", "&lt;script&gt;", "threshold 0.6, shingle word:1, verify jaccard, minhash of ",
		"labels of labels.tsv", "not similar enough", "nothing to compare</span>", "ä…",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
	if strings.Contains(html, "<script") || strings.Contains(html, "\ufffd") {
		t.Error("a text is markup, or cut within a letter")
	}
}
