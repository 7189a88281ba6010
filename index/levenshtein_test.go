package index

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/unecho/unecho/index/entry"
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

// Only the front of a long text is kept, in whole runes, and only that is compared, whatever the evidence holds.
func TestLevenshteinComparesTheFront(t *testing.T) {
	p := DefaultParams()
	p.Similarity.Verify, p.Similarity.Shingle = "levenshtein", "char:3"
	signer, err := NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	var e entry.Entry
	long := strings.Repeat("a", ComparedText-1) + "ü"
	signer.Sign(&e, []byte(long+" the end"))
	kept, err := entry.DecompressText(nil, e.Evidence)
	if err != nil || string(kept) != strings.Repeat("a", ComparedText-1) {
		t.Errorf("%d bytes are kept, valid %t, %v", len(kept), utf8.Valid(kept), err)
	}
	if got := ratio(8000, &e, withText(long+strings.Repeat("b", ComparedText))); got.Num != got.Den || got.Num == 0 {
		t.Errorf("texts that differ behind the front: %v", got)
	}
}

// TestLevenshteinFineKeysAreOfTheFront: where verify was jaccard before, whole texts are kept. Their fine keys cost no more
// than those of the front, and are the same.
func TestLevenshteinFineKeysAreOfTheFront(t *testing.T) {
	p := DefaultParams().Similarity
	p.Verify, p.Shingle = "levenshtein", "char:5"
	r := rand.New(rand.NewPCG(1, 2))
	whole := make([]byte, 3*ComparedText)
	for i := range whole {
		whole[i] = 'a' + byte(r.IntN(26))
	}
	fine := func(text []byte) []uint32 {
		v, err := newVerifier(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		e := withText(string(text))
		v.begin(e)
		return v.fine(nil, e)
	}
	if got, want := fine(whole), fine(FrontOf(whole)); !slices.Equal(got, want) || len(want) < fineKeys {
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
