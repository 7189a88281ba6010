package text

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

func shingling(t testing.TB, s string) Shingling {
	t.Helper()
	parsed, err := ParseShingling(s)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestParseShingling(t *testing.T) {
	for _, good := range []string{"word:1", "word:3", "word:16", "char:1", "char:5", "char:64"} {
		if got := shingling(t, good).String(); got != good {
			t.Errorf("%q became %q", good, got)
		}
	}
	const want = ": possible are word:N with N from 1 to 16, and char:K with K from 1 to 64"
	for _, bad := range []string{"", "word", "word:", "word:0", "word:17", "word:-1", "word:+3", "word:03", "word:3 ", "Word:3", "words:3", "char:0", "char:65", "auto", "word:3:4", "word:99999999999999999999"} {
		got, err := ParseShingling(bad)
		if err == nil || !strings.HasSuffix(err.Error(), want) || got != (Shingling{}) {
			t.Errorf("%q: got %v, %v", bad, got, err)
		}
	}
}

// naive hashes shingles by the formula of the package comment.
func naive(s Shingling, text string) []uint64 {
	var items []uint64
	switch {
	case text == "":
		return nil
	case s.unit == words:
		for _, word := range strings.Split(text, " ") {
			items = append(items, xxhash.Sum64String(word))
		}
	default:
		for _, r := range text {
			items = append(items, mix(uint64(r)))
		}
	}
	var out []uint64
	size := min(s.size, len(items))
	for first := 0; first+size <= len(items); first++ {
		var sum uint64
		for _, item := range items[first : first+size] {
			sum = sum*base + item
		}
		out = append(out, mix(sum))
	}
	return out
}

func TestHashesAreThoseOfTheFormula(t *testing.T) {
	texts := []string{
		"", "a", "a b", "a b c", "to be or not to be that is the question", "été 日本語 ガギ", "日本語の文章",
		strings.Repeat("a", 64), strings.Repeat("a", 63) + " b", strings.Repeat("a", 64) + " b", strings.Repeat("word ", 40) + "end",
		"a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii jjjjjjjjjj kkkkkkkkkkk llllllllllll mmmmmmmmmmmmm nnnnnnnnnnnnnn ooooooooooooooo pppppppppppppppp q", strings.Repeat("averylongwordindeed ", 9) + "x",
	}
	for size := 1; size <= MaxChars; size++ {
		for _, s := range []Shingling{{words, min(size, MaxWords)}, {chars, size}} {
			for _, text := range texts {
				if got, want := s.AppendHashes(nil, []byte(text)), naive(s, text); !slices.Equal(got, want) {
					t.Fatalf("%v of %q: got %x, want %x", s, text, got, want)
				}
			}
		}
	}
}

func TestHowManyShingles(t *testing.T) {
	for _, c := range []struct {
		shingling, text string
		total, distinct int
	}{
		{"word:3", "", 0, 0},
		{"word:3", "a", 1, 1},
		{"word:3", "a b", 1, 1},
		{"word:3", "a b c", 1, 1},
		{"word:3", "a b c d", 2, 2},
		{"word:1", "a b a b", 4, 2},
		{"word:2", "a b a b", 3, 2},
		{"char:3", "né", 1, 1},
		{"char:3", "日本語", 1, 1},
		{"char:3", "a b c", 3, 3},
	} {
		hashes := shingling(t, c.shingling).AppendHashes(nil, []byte(c.text))
		if len(hashes) != c.total || len(Set(hashes)) != c.distinct {
			t.Errorf("%s of %q: %d shingles, want %d, %d of them distinct", c.shingling, c.text, len(hashes), c.total, c.distinct)
		}
	}
	if got := (Shingling{}).AppendHashes(nil, []byte("a b")); got != nil {
		t.Errorf("the zero shingling: got %x", got)
	}
}

func TestOrderMatters(t *testing.T) {
	s := shingling(t, "word:3")
	seen := map[uint64]string{}
	for _, text := range []string{"a b c", "a c b", "b a c", "b c a", "c a b", "c b a", "a a b", "a b a", "b a a", "a a a", "ab c", "a bc", "abc", "a b"} {
		hash := s.AppendHashes(nil, []byte(text))[0]
		if other, ok := seen[hash]; ok {
			t.Errorf("%q and %q have one hash", text, other)
		}
		seen[hash] = text
	}
}

// The hashes go into journals and snapshots: who changes them raises Version, and pins the new ones.
func TestPinnedHashes(t *testing.T) {
	const text = "the émigré s café 1"
	for s, want := range map[string][]uint64{
		"word:1": {0xb12bcdbf6abc7094, 0xe2f1acf19a05b7e3, 0x0fcd86662f6c1586, 0xa48444efe9db848f, 0x81824d3dbce8dc99},
		"word:3": {0x7a8d82a846d8c37f, 0x7dfff60c99dbfe7f, 0x5b35cf18f83907a9},
		"char:9": {0x92e14af7762aebd7, 0xea9db466522e3e4a, 0xcaff15f4e85932cb},
	} {
		got := shingling(t, s).AppendHashes(nil, []byte(text))
		if Version != 1 || !slices.Equal(got[:len(want)], want) {
			t.Errorf("version %d, %s: got %#x, want %#x", Version, s, got, want)
		}
	}
}

func TestShinglingAllocatesNothing(t *testing.T) {
	text := []byte(strings.Repeat("the quick brown fox jumps ", 80))
	for _, name := range []string{"word:5", "char:5"} {
		s := shingling(t, name)
		hashes := s.AppendHashes(nil, text)
		if allocs := testing.AllocsPerRun(50, func() { hashes = Set(s.AppendHashes(hashes[:0], text)) }); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

func TestSet(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	kinds := map[string]func(i int) uint64{
		"spread":     func(int) uint64 { return random.Uint64() },
		"repeated":   func(int) uint64 { return random.Uint64N(50) * 0x9e3779b97f4a7c15 },
		"all equal":  func(int) uint64 { return 42 },
		"ascending":  func(i int) uint64 { return uint64(i) },
		"descending": func(i int) uint64 { return ^uint64(i) },
		"one byte":   func(int) uint64 { return random.Uint64N(256) << 24 },
	}
	for name, kind := range kinds {
		for _, n := range []int{0, 1, 2, small, small + 1, 340, medium, medium + 1, 5000, 100000} {
			values := make([]uint64, n)
			for i := range values {
				values[i] = kind(i)
			}
			want := slices.Clone(values)
			slices.Sort(want)
			want = slices.Compact(want)
			if got := Set(values); !slices.Equal(got, want) {
				t.Errorf("%s, %d values: wrong", name, n)
			}
		}
	}
}

func FuzzShingles(f *testing.F) {
	f.Add([]byte("to be or not to be"), 3, false)
	f.Add([]byte("日本語 ガギ"), 2, true)
	n := NewNormalizer()
	f.Fuzz(func(t *testing.T, in []byte, size int, byChar bool) {
		s := Shingling{words, 1 + int(uint(size)%MaxWords)}
		if byChar {
			s = Shingling{chars, 1 + int(uint(size)%MaxChars)}
		}
		s.AppendHashes(nil, in) // what isn't normalised has some hashes or other, and does no harm
		text := n.Append(nil, in)
		got := s.AppendHashes(nil, text)
		if want := naive(s, string(text)); !slices.Equal(got, want) {
			t.Fatalf("%v of %q: got %x, want %x", s, text, got, want)
		}
		if most := utf8.RuneCount(text); len(got) > most {
			t.Fatalf("%d shingles of %d code points", len(got), most)
		}
		if bytes.Contains(text, []byte("  ")) {
			t.Fatalf("%q", text)
		}
	})
}

func BenchmarkSet(b *testing.B) {
	random := rand.New(rand.NewPCG(7, 1))
	for _, c := range []struct {
		name string
		n    int
	}{{"30", 30}, {"340", 340}, {"10000", 10000}} {
		values, work := make([]uint64, c.n), make([]uint64, c.n)
		for i := range values {
			values[i] = random.Uint64()
		}
		b.Run(c.name+"/radix", func(b *testing.B) {
			for b.Loop() {
				copy(work, values)
				_ = Set(work)
			}
		})
		b.Run(c.name+"/slices", func(b *testing.B) {
			for b.Loop() {
				copy(work, values)
				slices.Sort(work)
				_ = slices.Compact(work)
			}
		})
	}
}
