package index_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// judged judges texts, and returns a verdict for each.
func judged(t *testing.T, p index.Params, texts []string) []index.Verdict {
	t.Helper()
	signer, err := index.NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]entry.Entry, len(texts))
	for i, text := range texts {
		signer.Sign(&entries[i], []byte(text))
	}
	verdicts, _, err := index.JudgeAll(p, entries)
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// Texts of one shingle, all different, are unique: that two of them are candidates says nothing of their evidence.
func TestSimHashTellsShortTextsApart(t *testing.T) {
	random := rand.New(rand.NewPCG(32, 12))
	const texts = 10_000
	names, titles := make([]string, texts), make([]string, texts)
	for i := range names {
		names[i] = fmt.Sprintf("user%d", i+1)
		title := make([]rune, 6+random.IntN(3))
		for k := range title {
			title[k] = 0x4e00 + rune(random.IntN(3000))
		}
		titles[i] = string(title)
	}
	for _, test := range []struct {
		name, shingle, evidence string
		texts                   []string
	}{
		{"names", "auto:3", "auto", names},
		{"titles without spaces", "word:5", "shingles", titles},
		{"names by their characters", "char:12", "shingles", names},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := index.DefaultParams()
			p.Duplicates.Method, p.Duplicates.Shingle, p.Duplicates.Evidence = "simhash", test.shingle, test.evidence
			for i, v := range judged(t, p, test.texts) {
				if v.Matched() {
					t.Fatalf("%q matches %q by %v with %v; want every text unique, as they are all different", test.texts[i],
						test.texts[v.Match.Offset], v.Match.Method, v.Match.Similarity)
				}
			}
		})
	}
}
