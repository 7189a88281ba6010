package synthetic

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func newArticles(t testing.TB, p Params) *Articles {
	t.Helper()
	f, err := NewArticles(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// all makes the articles of the defaults.
func all(t testing.TB) []Document {
	t.Helper()
	f := newArticles(t, DefaultParams())
	var out []Document
	for d, ok := f.Next(); ok; d, ok = f.Next() {
		out = append(out, d)
	}
	if len(out) != DefaultParams().Documents {
		t.Fatalf("%d documents, want %d", len(out), DefaultParams().Documents)
	}
	return out
}

// plainShingles is the set of a text's three-word runs, by the definition.
func plainShingles(text string) map[string]bool {
	words := strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
	set := map[string]bool{}
	for i := range max(0, len(words)-2) {
		set[strings.Join(words[i:i+3], " ")] = true
	}
	return set
}

func plainJaccard(a, b map[string]bool) float64 {
	shared := 0
	for shingle := range a {
		if b[shingle] {
			shared++
		}
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}

func TestTruthHolds(t *testing.T) {
	documents := all(t)
	ids := map[string]bool{}
	for i, d := range documents {
		if d.Number != i || ids[d.ID] || d.Outlet == "" || d.Title == "" {
			t.Fatalf("document %d is %+v", i, d)
		}
		ids[d.ID] = true
		if n := len(strings.Fields(d.Text)); n < 120 || n > 360 {
			t.Errorf("%s has %d words", d.ID, n)
		}
		if d.Truth.Kind != Exact && d.Truth.Kind != Edited {
			if d.Truth.Of != -1 || d.Truth.Similarity != 0 {
				t.Errorf("%s is no copy, and yet %+v", d.ID, d.Truth)
			}
			continue
		}
		checkCopy(t, d, documents)
	}
}

func checkCopy(t *testing.T, d Document, documents []Document) {
	t.Helper()
	if d.Truth.Of < 0 || d.Truth.Of >= d.Number {
		t.Fatalf("%s is a copy of number %d", d.ID, d.Truth.Of)
	}
	of := documents[d.Truth.Of]
	if of.Truth.Kind != Original || of.Outlet == d.Outlet || !of.Time.Before(d.Time) {
		t.Errorf("%s of %s at %s is a copy of %+v", d.ID, d.Outlet, d.Time, of)
	}
	if exact := d.Truth.Kind == Exact; (of.Text == d.Text) != exact {
		t.Errorf("%s, %s: text equal to the original's: %v", d.ID, d.Truth.Kind, !exact)
	}
	if j := plainJaccard(plainShingles(d.Text), plainShingles(of.Text)); j != d.Truth.Similarity {
		t.Errorf("%s says similarity %v, counted %v", d.ID, d.Truth.Similarity, j)
	}
}

func TestSharesAndSpread(t *testing.T) {
	p := DefaultParams()
	count := map[Kind]int{}
	var degrees [10]int
	var near, far int
	for _, d := range all(t) {
		count[d.Truth.Kind]++
		if d.Truth.Kind != Edited {
			continue
		}
		if off := math.Abs(d.Truth.Similarity - wanted(d.Number)); off > tolerance {
			t.Errorf("%s was to be %.3f similar, is %.3f", d.ID, wanted(d.Number), d.Truth.Similarity)
		}
		degrees[min(9, max(0, int(d.Truth.Similarity*20)-10))]++
		if distance := d.Number - d.Truth.Of; distance <= 30 {
			near++
		} else if distance > 300 {
			far++
		}
	}
	for kind, share := range map[Kind]float64{Exact: p.Exact, Edited: p.Edited, Lookalike: p.Lookalike} {
		if got, want := float64(count[kind]), share*float64(p.Documents); math.Abs(got-want) > 4*math.Sqrt(want) {
			t.Errorf("%v documents are %s, want about %v", got, kind, want)
		}
	}
	if low, high := slices.Min(degrees[:]), slices.Max(degrees[:]); low*2 < high {
		t.Errorf("similarities of edited copies from .5 to 1, in steps of .05: %v, not even", degrees)
	}
	if near < 50 || far < 50 {
		t.Errorf("%d copies follow within 30 documents, %d after more than 300", near, far)
	}
}

// TestOthersAreNoCopies: originals share next to nothing, bulletins of one form a lot, and less than half.
func TestOthersAreNoCopies(t *testing.T) {
	sets := map[Kind][]map[string]bool{}
	for _, d := range all(t) {
		if kind := d.Truth.Kind; len(sets[kind]) < 80 {
			sets[kind] = append(sets[kind], plainShingles(d.Text))
		}
	}
	for kind, want := range map[Kind]struct{ from, to float64 }{Original: {0, 0.15}, Lookalike: {0.3, 0.5}} {
		most := 0.0
		for i, a := range sets[kind] {
			for _, b := range sets[kind][:i] {
				most = max(most, plainJaccard(a, b))
			}
		}
		if most < want.from || most >= want.to {
			t.Errorf("two of %d documents of kind %s share %.3f, want %v to %v", len(sets[kind]), kind, most, want.from, want.to)
		}
	}
}

func TestSeed(t *testing.T) {
	p := DefaultParams()
	first, again := newArticles(t, p), newArticles(t, p)
	p.Seed = 2
	other := newArticles(t, p)
	for i := range 60 {
		a, _ := first.Next()
		if b, ok := again.Next(); !ok || a.Text != b.Text || string(a.Value()) != string(b.Value()) {
			t.Fatalf("document %d differs with the same seed", i)
		}
		if b, _ := other.Next(); a.Text == b.Text {
			t.Fatalf("document %d is the same with another seed", i)
		}
	}
}

func TestEverySlotIsFilled(t *testing.T) {
	f := newArticles(t, DefaultParams())
	random, _ := f.draw(1)
	patterns := slices.Concat(f.lexicon.openings, f.lexicon.middles, f.lexicon.closings, f.lexicon.titles)
	for _, form := range f.lexicon.forms {
		patterns = append(patterns, form.sentences...)
		patterns = append(patterns, form.title)
	}
	for _, pattern := range patterns {
		s := newScribe(f.lexicon, random).sentence(pattern)
		if strings.ContainsAny(s, "{}\n") || strings.Contains(s, "  ") || unicode.IsLower(rune(s[0])) {
			t.Errorf("%s\nbecame\n%s", pattern, s)
		}
	}
	if len(f.lexicon.outlets) != 40 {
		t.Errorf("%d outlets, want 40", len(f.lexicon.outlets))
	}
}

func TestWords(t *testing.T) {
	for noun, want := range map[string]string{
		"grass": "grasses", "box": "boxes", "branch": "branches", "city": "cities", "quay": "quays", "spokesman": "spokesmen",
		"tram": "trams",
	} {
		if got := plural(noun); got != want {
			t.Errorf("plural of %s: %s, want %s", noun, got, want)
		}
	}
	for word, want := range map[string]string{
		"apple": "an ", "pear": "a ", "university": "a ", "usual": "a ",
		"umpire": "an ",
	} {
		if got := indefinite(word); got != want {
			t.Errorf("article of %s: %q, want %q", word, got, want)
		}
	}
}

func TestNoCopiesOfNothing(t *testing.T) {
	f := newArticles(t, Params{Documents: 3, Seed: 7, Exact: 1})
	for want, i := []Kind{Original, Exact, Exact}, 0; i < 3; i++ {
		if d, ok := f.Next(); !ok || d.Truth.Kind != want[i] || d.Truth.Of != min(0, i-1) && i == 0 {
			t.Errorf("document %d: %+v", i, d.Truth)
		}
	}
	if _, ok := f.Next(); ok {
		t.Error("a document after the last")
	}
}

func TestValue(t *testing.T) {
	d := newArticles(t, DefaultParams()).At(3)
	var got struct{ ID, Outlet, Title, Time, Text string }
	if err := json.Unmarshal(d.Value(), &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != d.ID || got.Outlet != d.Outlet || got.Title != d.Title || got.Text != d.Text || got.Time == "" {
		t.Errorf("%s\nof %+v", d.Value(), d)
	}
}

func TestParams(t *testing.T) {
	for _, test := range []struct {
		params Params
		want   string
	}{
		{DefaultParams(), ""},
		{Params{Documents: -1}, "documents: -1: is negative; write how many documents to send"},
		{Params{Exact: 1.5}, "exact: 1.5: is no share; write a number from 0 to 1"},
		{Params{Edited: math.NaN()}, "edited: NaN: is no share; write a number from 0 to 1"},
		{Params{Exact: 0.5, Edited: 0.4, Lookalike: 0.2}, "exact: 0.5: with edited and lookalike more than all documents; lower the shares"},
	} {
		got := ""
		if m := test.params.Validate(); len(m) > 0 {
			got = m[0].String()
		}
		if got != test.want {
			t.Errorf("%+v: %q, want %q", test.params, got, test.want)
		}
		if _, err := NewArticles(test.params); errors.Is(err, ErrParams) != (test.want != "") {
			t.Errorf("NewArticles: %v", err)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	f := newArticles(b, DefaultParams())
	bytes := 0
	for b.Loop() {
		d, ok := f.Next()
		if !ok {
			f.next = 0
		}
		bytes += len(d.Text)
	}
	b.ReportMetric(float64(bytes)/float64(b.N), "bytes/doc")
}

func ExampleArticles() {
	f, err := NewArticles(Params{Documents: 3, Seed: 1, Exact: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	for d, ok := f.Next(); ok; d, ok = f.Next() {
		fmt.Println(d.ID, d.Truth.Kind, d.Truth.Of)
	}
	// Output:
	// article-000000 original -1
	// article-000001 original -1
	// article-000002 exact 1
}
