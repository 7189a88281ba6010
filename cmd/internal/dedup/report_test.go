package dedup

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
)

// reported makes the page of n documents: each odd one is like the one before it, by another similarity each, and every
// tenth pair is rejected.
func reported(t *testing.T, n int64) (*Report, string) {
	t.Helper()
	r, err := NewReport(0.8, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	g := NewGroups(First, 0)
	random := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		o := Outcome{Number: i, Name: fmt.Append(nil, "d", i), Text: fmt.Append(nil, "the <b>text</b> of ", i)}
		switch {
		case i%20 == 9:
			o.Rejected, o.Text = &document.Rejection{Reason: "invalid_json"}, nil
		case i%2 == 1:
			o.Matches = []Match{{
				Number: i - 1, Name: fmt.Append(nil, "d", i-1), Method: compare.Jaccard,
				Similarity: compare.Similarity{Num: 8000 + random.Uint32N(2000), Den: 10000},
			}}
		}
		if err := r.add(&o); err != nil {
			t.Fatal(err)
		}
		g.Add(&o)
		r.met(o.Number, o.Name, o.Matches)
		for k := range o.Matches {
			g.Join(i, &o.Matches[k])
		}
	}
	g.Choose()
	r.group(g)
	var page strings.Builder
	told := PageFacts{Summary: Summary{Documents: n}, Settings: index.DefaultParams().Duplicates, Text: index.DefaultParams().Normalize}
	if err := r.WritePage(&page, report.About{Title: "unecho dedup"}, told); err != nil {
		t.Fatal(err)
	}
	return r, page.String()
}

// TestReport: the page has counts, both histograms and some pairs of each similarity with their texts, the same ones each
// time, and no markup of a document; what is kept for it does not grow with the documents.
func TestReport(t *testing.T) {
	r, page := reported(t, 4000)
	for _, want := range []string{
		"<b>4,000</b> documents came in", "invalid_json</td><td class=\"left\">200<", "… &lt;b&gt;text&lt;/b&gt; of",
		`aria-label="clusters: 2: 1800; 3, 4: 0; 5 to 8: 0"`, "1,800 clusters of several", "<del>", "<ins>", "auto:3",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if strings.Contains(page, "<b>text") || strings.Contains(page, "<script") || strings.Contains(page, "://") {
		t.Error("the page has a document's markup, or loads something")
	}
	all := int64(0)
	for i := range r.bins {
		all += r.bins[i].n
		if n := len(r.bins[i].pairs); i < similarityBins && n != pairsEach || n > pairsEach {
			t.Errorf("%d pairs of similarity %d are shown", n, i)
		}
		for _, p := range r.bins[i].pairs {
			if at := r.bin(&Match{Similarity: p.similarity, Method: p.method}); at != i {
				t.Errorf("%v is among those of bin %d", p, i)
			}
		}
	}
	if all != 1800 || len(r.clusters) != mostClusters {
		t.Errorf("%d pairs, %d clusters", all, len(r.clusters))
	}
	if _, again := reported(t, 4000); again != page {
		t.Error("the same documents make another page")
	}
	if _, page := reported(t, 1); !strings.Contains(page, "no document is like another at the threshold of 0.8") {
		t.Errorf("a page without pairs:\n%s", page)
	}
}

// TestReportMarksWhatCounts: two texts that differ in case and punctuation stand side by side without a mark.
func TestReportMarksWhatCounts(t *testing.T) {
	r, err := NewReport(0.8, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i, text := range []string{"A flat, near the park!", "a FLAT near the park"} {
		o := Outcome{Number: int64(i), Name: fmt.Append(nil, "d", i), Text: []byte(text)}
		if i > 0 {
			o.Matches = []Match{{Name: []byte("d0"), Method: compare.Identical, Similarity: compare.Similarity{Num: 1, Den: 1}}}
		}
		if err := r.add(&o); err != nil {
			t.Fatal(err)
		}
		r.met(o.Number, o.Name, o.Matches)
	}
	for name, keeps := range map[string]bool{"space": false, "keep": true} {
		told := PageFacts{Settings: index.DefaultParams().Duplicates, Text: index.DefaultParams().Normalize}
		told.Text.Punctuation = name
		var page strings.Builder
		if err := r.WritePage(&page, report.About{Title: "unecho dedup"}, told); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), "near the") || strings.Contains(page.String(), "<del>") != keeps {
			t.Errorf("punctuation %s: %s", name, page.String())
		}
	}
}

func TestSizeBins(t *testing.T) {
	for n, want := range map[int]int{2: 0, 3: 1, 4: 1, 5: 2, 8: 2, 9: 3, 1 << 30: sizeBins - 1} {
		if got := sizeBin(n); got != want {
			t.Errorf("%d documents are in bin %d, not %d", n, got, want)
		}
	}
}

// TestTextFile: texts come back by their numbers, cut between code points; those of an index file are unknown.
func TestTextFile(t *testing.T) {
	f, err := newTextFile(10)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	long := strings.Repeat("ä", mostText)
	for _, text := range []string{"one", "", "x" + long, "last"} {
		if err := f.add([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for number, want := range map[int64]string{10: "one", 11: "", 12: "x" + long[:mostText-2], 13: "last"} {
		if got, known, err := f.text(number); err != nil || !known || got != want {
			t.Errorf("text %d: %d bytes, known: %v, %v", number, len(got), known, err)
		}
	}
	for _, number := range []int64{9, 14} {
		if _, known, err := f.text(number); known || err != nil {
			t.Errorf("text %d is known", number)
		}
	}
}

// A summary says how many documents were compared by their bytes, in both forms, and nothing where there are none.
func TestSummaryTellsBytes(t *testing.T) {
	for n, want := range map[int64][2]string{
		0: {"", ""},
		1: {"1 document was compared by the bytes: more than 5 % is not UTF-8 or cannot be read; convert to UTF-8\n", `"by_bytes":1,`},
		7: {"7 documents were compared by the bytes: more than 5 % is not UTF-8 or cannot be read; convert to UTF-8\n", `"by_bytes":7,`},
	} {
		var line bytes.Buffer
		s := NewSummary(Counts{Documents: 9, Unique: 9, ByBytes: n}, 0, 9, time.Second)
		if err := terminal.WriteJSON(&line, s); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(s.Text(), "\n"); got != want[0] || strings.Contains(line.String(), "by_bytes") != (n > 0) ||
			!strings.Contains(line.String(), want[1]) {
			t.Errorf("%d documents: %q and %s; want %q", n, got, line.String(), want)
		}
	}
}

// A summary says of how many documents it cannot be sure, in both forms, and nothing where there are none.
func TestSummaryTellsCuts(t *testing.T) {
	for cut, want := range map[int64]string{
		0: "", 1: "1 unique document was not compared with all candidates, and may be copies: raise --max-candidates and --max-work\n",
		2300: "2,300 unique documents were not compared with all candidates, and may be copies: raise --max-candidates and --max-work\n",
	} {
		s := NewSummary(Counts{Documents: 3000, Unique: 3000}, 0, 3000, time.Second)
		s.UniqueCut, s.Bounds = cut, []string{"max_candidates", "max_work"}
		var line bytes.Buffer
		if _, got, _ := strings.Cut(s.Text(), "\n"); got != want {
			t.Errorf("%d cut: %q, want %q", cut, got, want)
		}
		if err := terminal.WriteJSON(&line, s); err != nil ||
			!strings.Contains(line.String(), `"unique_cut":`+strings.ReplaceAll(terminal.Grouped(int(cut)), ",", "")+",") {
			t.Errorf("%d cut: %s, %v", cut, line.String(), err)
		}
	}
}
