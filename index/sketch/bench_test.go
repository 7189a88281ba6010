package sketch_test

import (
	"bytes"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// signer is the path of a document from its bytes to its sketch and band keys, with all its buffers.
type signer struct {
	normalizer *text.Normalizer
	shingling  text.Shingling
	sign       func(values, shingles []uint64)
	plan       sketch.Banding

	normalized, keys []byte
	shingles, values []uint64
}

func newSigner(tb testing.TB, shingling string, sign func(values, shingles []uint64)) *signer {
	tb.Helper()
	parsed, err := text.ParseShingling(shingling)
	if err != nil {
		tb.Fatal(err)
	}
	plan, err := sketch.Plan(0.8, slots, 0.98)
	if err != nil {
		tb.Fatal(err)
	}
	return &signer{
		normalizer: text.NewNormalizer(), shingling: parsed, sign: sign, plan: plan,
		values: make([]uint64, slots),
	}
}

const slots = 128

func (s *signer) signDocument(document []byte) {
	s.normalized = s.normalizer.Append(s.normalized[:0], document)
	s.shingles = s.shingling.AppendHashes(s.shingles[:0], s.normalized)
	s.sign(s.values, s.shingles)
	s.keys = s.plan.AppendKeys(s.keys[:0], s.values, 0, 4)
}

// textbook is MinHash by k permutations, h -> (a·h + b) mod 2^61-1, one multiplication for each shingle and slot.
type textbook struct{ a, b [slots]uint64 }

const prime = 1<<61 - 1

func newTextbook() *textbook {
	var t textbook
	x := uint64(1)
	for i := range slots {
		x = x*6364136223846793005 + 1442695040888963407
		t.a[i] = x%(prime-1) + 1
		x = x*6364136223846793005 + 1442695040888963407
		t.b[i] = x % prime
	}
	return &t
}

func (t *textbook) Sign(values, shingles []uint64) {
	for i := range values {
		values[i] = math.MaxUint64
	}
	for _, s := range shingles {
		s &= prime
		for i := range values {
			high, low := bits.Mul64(t.a[i], s)
			low, carry := bits.Add64(low, t.b[i], 0)
			high += carry
			h := low&prime + (high<<3 | low>>61)
			if h >= prime {
				h -= prime
			}
			values[i] = min(values[i], h)
		}
	}
}

func BenchmarkSign(b *testing.B) {
	minhash, err := sketch.NewMinHash(slots)
	if err != nil {
		b.Fatal(err)
	}
	for _, method := range []struct {
		name string
		sign func(values, shingles []uint64)
	}{{"minhash128", minhash.Sign}, {"textbook128", newTextbook().Sign}} {
		b.Run(method.name, func(b *testing.B) {
			for _, shingling := range []struct{ name, setting string }{{"word5", "word:5"}, {"word3", "word:3"}, {"char5", "char:5"}} {
				b.Run(shingling.name, func(b *testing.B) {
					for _, document := range []string{"english", "japanese"} {
						b.Run(document+"2kB", func(b *testing.B) {
							benchmarkSign(b, newSigner(b, shingling.setting, method.sign), "testdata/"+document+".txt")
						})
					}
				})
			}
		})
	}
}

func benchmarkSign(b *testing.B, s *signer, file string) {
	document, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	s.signDocument(document)
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		s.signDocument(document)
	}
}

// BenchmarkStep takes the path apart.
func BenchmarkStep(b *testing.B) {
	document, err := os.ReadFile("testdata/english.txt")
	if err != nil {
		b.Fatal(err)
	}
	minhash, err := sketch.NewMinHash(slots)
	if err != nil {
		b.Fatal(err)
	}
	s := newSigner(b, "word:5", minhash.Sign)
	s.signDocument(document)
	codes := sketch.AppendCodes(nil, s.values, 8)
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"normalize", func() { s.normalized = s.normalizer.Append(s.normalized[:0], document) }},
		{"shingle", func() { s.shingles = s.shingling.AppendHashes(s.shingles[:0], s.normalized) }},
		{"sign", func() { minhash.Sign(s.values, s.shingles) }},
		{"keys", func() { s.keys = s.plan.AppendKeys(s.keys[:0], s.values, 0, 4) }},
		{"codes", func() { codes = sketch.AppendCodes(codes[:0], s.values, 8) }},
		{"matches", func() { sketch.Matches(codes, codes, 8) }},
		{"jaccard", func() { sketch.Jaccard(s.shingles, s.shingles[1:]) }},
	} {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step.do()
			}
		})
	}
}

// BenchmarkSignShuffled signs a text that is another one each time, with the same words in another order: what the processor
// has learnt of one document helps it little with the next, as in a real stream.
func BenchmarkSignShuffled(b *testing.B) {
	document, err := os.ReadFile("testdata/english.txt")
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(12, 1))
	words := strings.Fields(string(document))
	documents := make([][]byte, 512)
	for i := range documents {
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		documents[i] = []byte(strings.Join(words, " "))
	}
	minhash, err := sketch.NewMinHash(slots)
	if err != nil {
		b.Fatal(err)
	}
	for _, shingling := range []struct{ name, setting string }{{"word5", "word:5"}, {"word3", "word:3"}} {
		b.Run("minhash128/"+shingling.name+"/english2kB", func(b *testing.B) {
			s := newSigner(b, shingling.setting, minhash.Sign)
			s.signDocument(document)
			b.SetBytes(int64(len(documents[0])))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.signDocument(documents[i%len(documents)])
			}
		})
	}
}

// BenchmarkLevenshtein compares texts near each other and far apart, at the default threshold and without one.
func BenchmarkLevenshtein(b *testing.B) {
	english, err := os.ReadFile("testdata/english.txt")
	if err != nil {
		b.Fatal(err)
	}
	long := bytes.Repeat(english, 5)
	backwards := slices.Clone(long)
	slices.Reverse(backwards)
	for _, pair := range []struct {
		name string
		a, b []byte
	}{
		{"near2kB", english, replaceEach(english, 100)},
		{"far2kB", english, backwards[:len(english)]},
		{"near10kB", long, replaceEach(long, 100)},
		{"far10kB", long, backwards},
	} {
		for _, threshold := range []struct {
			name           string
			tenThousandths int
		}{{"bounded", 8000}, {"exact", 0}} {
			b.Run(pair.name+"/"+threshold.name, func(b *testing.B) {
				var l sketch.Levenshtein
				b.ReportAllocs()
				for b.Loop() {
					l.Similarity(pair.a, pair.b, threshold.tenThousandths)
				}
			})
		}
	}
}

// replaceEach replaces one byte of every n.
func replaceEach(text []byte, n int) []byte {
	out := slices.Clone(text)
	for i := 0; i < len(out); i += n {
		out[i] = '#'
	}
	return out
}
