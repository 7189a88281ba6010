package compare

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/text"
)

func withText(text string) *entry.Entry {
	return &entry.Entry{Kind: entry.Text, Evidence: entry.AppendText(nil, []byte(text))}
}

func ratio(least int, a, b *entry.Entry) Similarity {
	x := &levenshtein{least: least}
	x.begin(a)
	return x.similarity(b)
}

func TestLevenshtein(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want Similarity
	}{
		{"kitten", "sitting", Similarity{4, 7}},
		{"grün", "grun", Similarity{3, 4}},
		{"same", "same", Similarity{4, 4}},
		{"", "a", unlike()},
		{"a", "", unlike()},
	} {
		if got := ratio(1, withText(c.a), withText(c.b)); got != c.want {
			t.Errorf("%q and %q: got %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestLevenshteinFineKeysAreOfTheFront: where verify was jaccard before, whole texts are kept. Their fine keys cost no more
// than those of the front, and are the same.
func TestLevenshteinFineKeysAreOfTheFront(t *testing.T) {
	shingling, err := text.ParseShingling("char:5")
	if err != nil {
		t.Fatal(err)
	}
	c := New(Params{Kind: entry.Text, Least: Similarity{8000, Scale}, Runes: true, Shingling: shingling})
	r := rand.New(rand.NewPCG(1, 2))
	whole := make([]byte, 3*ComparedText)
	for i := range whole {
		whole[i] = 'a' + byte(r.IntN(26))
	}
	fine := func(text []byte) []uint64 {
		c.Begin(withText(string(text)))
		return c.Fine(nil)
	}
	if got, want := fine(whole), fine(FrontOf(whole)); !slices.Equal(got, want) || len(want) < 12 {
		t.Errorf("the fine keys of a whole text are %d, and not the %d of its front", len(got), len(want))
	}
}

func TestLevenshteinOfNothing(t *testing.T) {
	a := withText("text")
	for name, bad := range map[string]*entry.Entry{
		"shingles": {Kind: entry.Shingles, Evidence: a.Evidence},
		"none":     {},
		"broken":   {Kind: entry.Text, Evidence: []byte{0xff, 0xff, 0xff}},
	} {
		if got := ratio(1, a, bad); got != unlike() {
			t.Errorf("%s as the candidate: %v", name, got)
		}
		if got := ratio(1, bad, a); got != unlike() {
			t.Errorf("%s as the entry: %v", name, got)
		}
	}
}

// BenchmarkLevenshteinWorst compares texts of the greatest length that have nothing in common but their letters.
func BenchmarkLevenshteinWorst(b *testing.B) {
	r := rand.New(rand.NewPCG(14, 1))
	noise := func() *entry.Entry {
		var text strings.Builder
		for range ComparedText {
			text.WriteByte('a' + byte(r.IntN(4)))
		}
		return withText(text.String())
	}
	x := &levenshtein{least: 8000}
	own, them := noise(), noise()
	for b.Loop() {
		x.begin(own)
		x.similarity(them)
	}
}
