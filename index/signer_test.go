package index

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

func signed(t *testing.T, p Params, text string) entry.Entry {
	t.Helper()
	signer, err := NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	var e entry.Entry
	if !signer.Sign(&e, []byte(text)) {
		t.Fatal("no entry")
	}
	return e
}

// From text to similarity: the signer keeps, and the verifier measures, what the settings say.
func TestSignedAndVerified(t *testing.T) {
	const a, b = "a a a b", "A, b b b!"
	for name, c := range map[string]struct {
		change func(*DuplicatesParams)
		kept   entry.Kind
		want   compare.Similarity
		method compare.Method
	}{
		"shingles":          {func(*DuplicatesParams) {}, entry.Shingles, compare.Similarity{Num: 2, Den: 2}, compare.Jaccard},
		"text":              {func(p *DuplicatesParams) { p.Evidence = "text" }, entry.Text, compare.Similarity{Num: 2, Den: 2}, compare.Jaccard},
		"characters":        {func(p *DuplicatesParams) { p.Shingle = "char:1" }, entry.Shingles, compare.Similarity{Num: 3, Den: 3}, compare.Jaccard},
		"weighted shingles": {func(p *DuplicatesParams) { p.Weighted = true }, entry.Shingles, compare.Similarity{Num: 2, Den: 6}, compare.Jaccard},
		"weighted text": {
			func(p *DuplicatesParams) { p.Weighted, p.Evidence = true, "text" }, entry.Text,
			compare.Similarity{Num: 2, Den: 6},
			compare.Jaccard,
		},
		"levenshtein": {
			func(p *DuplicatesParams) { p.Verify, p.Shingle = "levenshtein", "char:1" }, entry.Text,
			compare.Similarity{Num: 5, Den: 7},
			compare.Levenshtein,
		},
		"estimate": {func(p *DuplicatesParams) { p.Verify = "estimate" }, entry.Sketch, compare.Similarity{Num: 2160, Den: 2160}, compare.Estimate},
		"hamming": {
			func(p *DuplicatesParams) { p.Verify, p.Method = "estimate", "simhash" }, entry.Sketch, compare.Similarity{Num: 64, Den: 64}, compare.Hamming,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := DefaultParams()
			p.Duplicates.Shingle, p.Duplicates.Threshold = "word:1", 0.3
			c.change(&p.Duplicates)
			p, err := p.Planned()
			if err != nil {
				t.Fatal(err)
			}
			sketch, err := p.Duplicates.NewSketch()
			if err != nil {
				t.Fatal(err)
			}
			verify, err := p.Duplicates.comparer(sketch)
			if err != nil {
				t.Fatal(err)
			}
			x, y := signed(t, p, a), signed(t, p, b)
			if x.Kind != c.kept || y.Kind != c.kept {
				t.Errorf("kept %d and %d, want %d", x.Kind, y.Kind, c.kept)
			}
			verify.Begin(&x)
			if got, method := verify.Measure(&y); got != c.want || method != c.method {
				t.Errorf("%v by %v, want %v by %v", got, method, c.want, c.method)
			}
		})
	}
}

// The bands of an entry are those that the settings ask for.
func TestSignedBands(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*DuplicatesParams)
		keys   int
	}{
		"planned":     {func(*DuplicatesParams) {}, 13 * 4},
		"most rows":   {func(p *DuplicatesParams) { p.Slots = 128 }, 18 * 4},
		"by hand":     {func(p *DuplicatesParams) { p.Bands, p.Rows = 5, 20 }, 5 * 4},
		"by area":     {func(p *DuplicatesParams) { p.Plan = "area" }, 9 * 4},
		"simhash":     {func(p *DuplicatesParams) { p.Method = "simhash" }, 4 * 4},
		"far":         {func(p *DuplicatesParams) { p.Method, p.Bits, p.Distance = "simhash", 128, 7 }, 8 * 4},
		"more blocks": {func(p *DuplicatesParams) { p.Method, p.Distance = "simhash", 5 }, 21 * 4},
	} {
		p := DefaultParams()
		c.change(&p.Duplicates)
		if e := signed(t, p, "some text of some words"); len(e.Keys) != c.keys {
			t.Errorf("%s: %d bytes of keys, want %d", name, len(e.Keys), c.keys)
		}
	}
}

// With hashes as evidence no word of the text stands in the entry.
func TestShinglesHoldNoText(t *testing.T) {
	words := strings.Repeat("confidential ", 3) + strings.Repeat("matter of record ", 200)
	e := signed(t, DefaultParams(), words)
	bytes := string(entry.Append(nil, &e, nil))
	for _, word := range strings.Fields(words) {
		if len(word) > 3 && strings.Contains(bytes, word) {
			t.Errorf("%q stands in the entry", word)
		}
	}
}
