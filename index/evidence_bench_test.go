package index

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// english is an article of 2 kB many times over, with its words in another order each time. What a processor has learnt
// from one document then helps little with the next, as in a real stream.
func english(b *testing.B) [][]string {
	b.Helper()
	article, err := os.ReadFile("sketch/testdata/english.txt")
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(12, 1))
	documents := make([][]string, 256)
	for i := range documents {
		words := strings.Fields(string(article))
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		documents[i] = words
	}
	return documents
}

// edited replaces this many of a hundred words by other words of the text.
func edited(r *rand.Rand, words []string, percent int) []string {
	words = append([]string{}, words...)
	for range len(words) * percent / 100 {
		words[r.IntN(len(words))] = words[r.IntN(len(words))]
	}
	return words
}

type keeping struct {
	name string
	p    Params
}

// keepings are the ways to keep a document for verification.
func keepings() []keeping {
	var all []keeping
	for _, shingle := range []string{"word:3", "char:5"} {
		for _, evidence := range []string{"shingles", "text", "estimate"} { // the last is what verify: estimate keeps
			p := DefaultParams()
			p.Similarity.Shingle, p.Similarity.Evidence = shingle, evidence
			if evidence == "estimate" {
				p.Similarity.Evidence, p.Similarity.Verify = "auto", "estimate"
			}
			all = append(all, keeping{strings.ReplaceAll(shingle, ":", "") + "/" + evidence, p})
		}
	}
	return all
}

// BenchmarkSign makes an entry of an English text of 2 kB.
func BenchmarkSign(b *testing.B) {
	var documents [][]byte
	for _, words := range english(b) {
		documents = append(documents, []byte(strings.Join(words, " ")))
	}
	for _, k := range keepings() {
		b.Run(k.name, func(b *testing.B) {
			signer, err := NewSigner(k.p)
			if err != nil {
				b.Fatal(err)
			}
			var e entry.Entry
			signer.Sign(&e, documents[0])
			size, i := 0, 0
			b.SetBytes(int64(len(documents[0])))
			b.ReportAllocs()
			for ; b.Loop(); i++ {
				signer.Reset()
				signer.Sign(&e, documents[i%len(documents)])
				size += entry.Size(&e)
			}
			b.ReportMetric(float64(size)/float64(i), "bytes/doc")
		})
	}
}

// BenchmarkVerify compares such a document with one candidate in which this many of a hundred words differ.
func BenchmarkVerify(b *testing.B) {
	for _, k := range keepings() {
		for _, percent := range []int{1, 5, 30} {
			b.Run(fmt.Sprintf("%s/edited=%d%%", k.name, percent), func(b *testing.B) { benchmarkVerify(b, k.p, percent) })
		}
	}
}

func benchmarkVerify(b *testing.B, p Params, percent int) {
	signer, err := NewSigner(p)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(13, 1))
	var own, them []entry.Entry
	for _, words := range english(b) {
		var e, c entry.Entry
		signer.Sign(&e, []byte(strings.Join(words, " ")))
		signer.Sign(&c, []byte(strings.Join(edited(r, words, percent), " ")))
		own, them = append(own, e), append(them, c)
	}
	sketch, err := p.Similarity.NewSketch()
	if err != nil {
		b.Fatal(err)
	}
	verify, err := p.Similarity.comparer(sketch)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		verify.Begin(&own[i%len(own)])
		verify.Measure(&them[i%len(them)])
	}
}
