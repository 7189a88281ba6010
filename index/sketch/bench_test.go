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

const slots = 128

// method is the part that a Sketch and the textbook version have in common.
type method interface {
	Sign(shingles []uint64)
	AppendKeys(dst []byte, scope uint64, width int) []byte
}

// signer takes a document from its bytes to its sketch and band keys, with all buffers.
type signer struct {
	normalizer *text.Normalizer
	shingling  text.Shingling
	method     method

	normalized, keys []byte
	shingles         []uint64
}

func newSigner(tb testing.TB, shingling string, method method) *signer {
	tb.Helper()
	parsed, err := text.ParseShingling(shingling)
	if err != nil {
		tb.Fatal(err)
	}
	return &signer{normalizer: text.NewNormalizer(text.DefaultParams()), shingling: parsed, method: method}
}

func (s *signer) shinglesOf(document []byte) []uint64 {
	s.normalized = s.normalizer.Append(s.normalized[:0], document)
	s.shingles = s.shingling.AppendHashes(s.shingles[:0], s.normalized)
	return s.shingles
}

func (s *signer) signDocument(document []byte) {
	s.method.Sign(s.shinglesOf(document))
	s.keys = s.method.AppendKeys(s.keys[:0], 0, 4)
}

func planned(tb testing.TB, threshold float64) sketch.Banding {
	tb.Helper()
	plan, err := sketch.Plan(threshold, slots, 0.98)
	if err != nil {
		tb.Fatal(err)
	}
	return plan
}

func minhash128(tb testing.TB, threshold float64) sketch.Sketch {
	tb.Helper()
	s, err := sketch.NewMinHashSketch(sketch.MinHashParams{Slots: slots, Banding: planned(tb, threshold)})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func simhash(tb testing.TB, bits int) sketch.Sketch {
	tb.Helper()
	s, err := sketch.NewSimHashSketch(sketch.SimHashParams{Bits: bits, Distance: bits/16 - 1})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// textbook is MinHash by k permutations, h -> (a·h + b) mod 2^61-1, one multiplication for each shingle and slot.
type textbook struct {
	a, b, values [slots]uint64
	plan         sketch.Banding
}

const prime = 1<<61 - 1

func newTextbook(plan sketch.Banding) *textbook {
	t := textbook{plan: plan}
	x := uint64(1)
	for i := range slots {
		x = x*6364136223846793005 + 1442695040888963407
		t.a[i] = x%(prime-1) + 1
		x = x*6364136223846793005 + 1442695040888963407
		t.b[i] = x % prime
	}
	return &t
}

func (t *textbook) Sign(shingles []uint64) {
	values := t.values[:]
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

func (t *textbook) AppendKeys(dst []byte, scope uint64, width int) []byte {
	return t.plan.AppendKeys(dst, t.values[:], scope, width)
}

func BenchmarkSign(b *testing.B) {
	for _, method := range []struct {
		name string
		method
	}{
		{"minhash128", minhash128(b, 0.8)},
		{"textbook128", newTextbook(planned(b, 0.8))},
		{"simhash64", simhash(b, 64)},
		{"simhash128", simhash(b, 128)},
	} {
		b.Run(method.name, func(b *testing.B) {
			for _, shingling := range []struct{ name, setting string }{
				{"word5", "word:5"},
				{"word3", "word:3"},
				{"auto3", "auto:3"},
				{"char5", "char:5"},
			} {
				b.Run(shingling.name, func(b *testing.B) {
					for _, document := range []struct{ name, file string }{
						{"english2kB", english},
						{"latin2kB", "../text/testdata/latin.txt"}, // languages with accents
						{"japanese2kB", "testdata/japanese.txt"},
					} {
						b.Run(document.name, func(b *testing.B) {
							benchmarkSign(b, newSigner(b, shingling.setting, method.method), read(b, document.file))
						})
					}
				})
			}
		})
	}
}

// BenchmarkSignLength signs texts of other lengths, with the default settings.
func BenchmarkSignLength(b *testing.B) {
	document := read(b, english)
	for _, length := range []struct {
		name string
		text []byte
	}{
		{"20B", document[:20]},
		{"200B", document[:200]},
		{"20kB", bytes.Repeat(document, 10)},
	} {
		b.Run(length.name, func(b *testing.B) { benchmarkSign(b, newSigner(b, "auto:3", minhash128(b, 0.8)), length.text) })
	}
}

const english = "testdata/english.txt"

func read(b *testing.B, file string) []byte {
	b.Helper()
	document, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	return document
}

func benchmarkSign(b *testing.B, s *signer, document []byte) {
	b.Helper()
	s.signDocument(document)
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		s.signDocument(document)
	}
}

// BenchmarkStep measures the steps of the path one by one.
func BenchmarkStep(b *testing.B) {
	document := read(b, english)
	minhash := minhash128(b, 0.8)
	s := newSigner(b, "word:5", minhash)
	s.signDocument(document)
	codes := minhash.AppendCodes(nil)
	set := slices.Compact(slices.Sorted(slices.Values(s.shingles)))
	var levenshtein sketch.Levenshtein
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"normalize", func() { s.normalized = s.normalizer.Append(s.normalized[:0], document) }},
		{"shingle", func() { s.shingles = s.shingling.AppendHashes(s.shingles[:0], s.normalized) }},
		{"sign", func() { minhash.Sign(s.shingles) }},
		{"keys", func() { s.keys = minhash.AppendKeys(s.keys[:0], 0, 4) }},
		{"codes", func() { codes = minhash.AppendCodes(codes[:0]) }},
		{"similarity", func() { minhash.Similarity(codes, codes) }},
		{"jaccard", func() { sketch.Jaccard(set, set[1:]) }},
		{"levenshtein", func() { levenshtein.Similarity(s.normalized, s.normalized[1:], 8000) }},
	} {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step.do()
			}
		})
	}
}

// BenchmarkSignShuffled signs a different text each time, with the same words in another order. What the processor has
// learnt from one document then helps little with the next, as in a real stream.
func BenchmarkSignShuffled(b *testing.B) {
	document := read(b, english)
	random := rand.New(rand.NewPCG(12, 1))
	words := strings.Fields(string(document))
	documents := make([][]byte, 512)
	for i := range documents {
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		documents[i] = []byte(strings.Join(words, " "))
	}
	for _, shingling := range []struct{ name, setting string }{
		{"word5", "word:5"},
		{"word3", "word:3"},
		{"auto3", "auto:3"},
		{"char5", "char:5"},
	} {
		b.Run("minhash128/"+shingling.name+"/english2kB", func(b *testing.B) {
			s := newSigner(b, shingling.setting, minhash128(b, 0.8))
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

// replaceEach replaces every n-th byte.
func replaceEach(text []byte, n int) []byte {
	out := slices.Clone(text)
	for i := 0; i < len(out); i += n {
		out[i] = '#'
	}
	return out
}
