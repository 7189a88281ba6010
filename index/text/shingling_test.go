package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
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
	for _, good := range []string{
		"word:1", "word:3", "word:16", "char:1", "char:5", "char:64", "auto:1", "auto:3",
		"auto:16",
	} {
		if got := shingling(t, good).String(); got != good {
			t.Errorf("%q became %q", good, got)
		}
	}
	const want = ": possible are word:N and auto:N with N from 1 to 16, and char:K with K from 1 to 64"
	for _, bad := range []string{
		"", "word", "word:", "word:0", "word:17", "word:-1", "word:+3", "word:03", "word:3 ",
		"Word:3", "words:3", "char:0", "char:65", "auto", "auto:0", "auto:17", "word:3:4", "word:99999999999999999999",
	} {
		got, err := ParseShingling(bad)
		if err == nil || !strings.HasSuffix(err.Error(), want) || got != (Shingling{}) {
			t.Errorf("%q: got %v, %v", bad, got, err)
		}
	}
}

func TestParseHash(t *testing.T) {
	for h := range Hash(len(HashNames())) {
		if got, err := ParseHash(h.String()); got != h || err != nil {
			t.Errorf("%v became %v, %v", h, got, err)
		}
	}
	for _, bad := range []string{"", "sha-1", "Murmur3", "xxhash "} {
		if got, err := ParseHash(bad); err == nil || got != XXHash {
			t.Errorf("%q: got %v, %v", bad, got, err)
		}
	}
}

var formulaTexts = []string{
	"", "a", "a b", "a b c", "to be or not to be that is the question", "été 日本語 ガギ", "日本語の文章", " ", "  ", "a  b ",
	"a\x00", "\xff\xfe\x80",
	strings.Repeat("a", 64), strings.Repeat("a", 63) + " b", strings.Repeat("a", 64) + " b", strings.Repeat("word ", 40) + "end",
	"a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii jjjjjjjjjj kkkkkkkkkkk llllllllllll mmmmmmmmmmmmm " +
		"nnnnnnnnnnnnnn ooooooooooooooo pppppppppppppppp q",
	strings.Repeat("averylongwordindeed ", 9) + "x", strings.Repeat("x", 1000), strings.Repeat("x", 300) + " y " +
		strings.Repeat("z", 90),
	"iphone15を買う コンピューター らーめん 人々 東京2024年", "ภาษาไทย กินข้าว sawasdee ครับ ปี๒๕๖๗ ๒๕", "слово русский язык 中文", "한국어 문장 하나",
	"\U00020000\U00020001漢x\U00011700",
	"漢" + strings.Repeat("\u0301", 40) + "字", strings.Repeat("ascii text and then ", 9) + "中文字符 " +
		strings.Repeat("more of it ", 9) + "é" + strings.Repeat(" ascii", 11),
}

func TestHashesAreThoseOfTheFormula(t *testing.T) {
	for size := 1; size <= MaxChars; size++ {
		for _, name := range []string{"word:", "char:", "auto:"} {
			if name != "char:" && size > MaxWords {
				continue
			}
			for h := range Hash(len(HashNames())) {
				s := shingling(t, name+strconv.Itoa(size)).Hashed(h)
				for _, text := range formulaTexts {
					if got, want := s.AppendHashes(nil, []byte(text)), naive(s, text); !slices.Equal(got, want) {
						t.Fatalf("%v %v of %q: got %x, want %x", s, h, text, got, want)
					}
				}
			}
		}
	}
}

// Words of all lengths, at all places in a block and at the end of a text.
func TestWordsAtAllPlaces(t *testing.T) {
	for _, length := range []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40} {
		for _, s := range []Shingling{
			shingling(t, "word:1"), shingling(t, "word:3"), shingling(t, "auto:3"),
			shingling(t, "char:5"), shingling(t, "char:17"),
		} {
			for place := 0; place < 3*block; place += 3 {
				text := strings.Repeat("ab c", block)[:place] + strings.Repeat("w", length) + strings.Repeat(" de", place)
				if got, want := s.AppendHashes([]uint64{7}, []byte(text)), naive(s, text); got[0] != 7 ||
					!slices.Equal(got[1:], want) {
					t.Fatalf("%v of %q: got %x, want %x", s, text, got[1:], want)
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
		{"auto:3", "", 0, 0},
		{"auto:3", "日本", 1, 1},
		{"auto:3", "日本語日本語", 1, 1},
		{"auto:3", "日本語日本語日", 2, 2},
		{"auto:1", "a 日本", 2, 2},
		{"auto:1", "日a本", 2, 2},
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
	for _, text := range []string{
		"a b c", "a c b", "b a c", "b c a", "c a b", "c b a", "a a b", "a b a", "b a a", "a a a",
		"ab c", "a bc", "abc", "a b",
	} {
		hash := s.AppendHashes(nil, []byte(text))[0]
		if other, ok := seen[hash]; ok {
			t.Errorf("%q and %q have one hash", text, other)
		}
		seen[hash] = text
	}
}

// Journals and snapshots store the hashes: a change of them must raise Version and pin the new ones.
func TestPinnedHashes(t *testing.T) {
	const text = "the émigré s café 1 東京へ"
	for s, want := range map[string][]uint64{
		"word:1 xxhash":  {0x8d539acd5d2beb6c, 0x7288a07acf314885, 0x779e6691d2fee786},
		"word:3 xxhash":  {0x5cc49ee4a6ab751e, 0xd05803d8d55c610b, 0x9aa84885873a3008},
		"char:9 xxhash":  {0x4629435639474e19, 0xc3e4c79864fbad9b, 0xb170c8dbb84d0c72},
		"char:17 xxhash": {0xfaf19476ef61310a, 0xc3063d21d5b833a2, 0x875d9ef6bd1967eb},
		"auto:3 xxhash":  {0x5cc49ee4a6ab751e, 0xd05803d8d55c610b, 0x0188e06b6be943a1},
		"word:3 murmur3": {0x863fe29c42268954, 0x0b2e0cea0cbc2dbc, 0x996fed11420d7161},
	} {
		name, hash, _ := strings.Cut(s, " ")
		parsed, err := ParseHash(hash)
		if err != nil {
			t.Fatal(err)
		}
		got := shingling(t, name).Hashed(parsed).AppendHashes(nil, []byte(text))
		if got = got[len(got)-3:]; Version != 4 || !slices.Equal(got, want) {
			t.Errorf("version %d, %s: got %#x, want %#x", Version, s, got, want)
		}
	}
}

// Known values of MurmurHash3_x64_128, XXH64 and SHA-1: any library, given the shingle, yields the same.
func TestPublishedHashes(t *testing.T) {
	const fox = "The quick brown fox jumps over the lazy dog"
	for _, test := range []struct {
		hash Hash
		text string
		want uint64
	}{
		{Murmur3, "hello", 0xcbd8a7b341bd9b02},
		{Murmur3, fox, 0xe34bbc7bbc071b6c},
		{XXH64, "a", 0xd24ec4f1a98c6e5b},
		{XXH64, fox, 0x0b242d361fda71bc},
		{SHA1, "abc", 0x6a810647363e99a9}, // a9993e364706816a..., read little endian
		{SHA1, fox, 0xfc282d7ac6e1d42f},   // 2fd4e1c67a2d28fc...
	} {
		for _, s := range []string{"word:9", "char:43", "auto:9"} {
			if got := shingling(t, s).Hashed(test.hash).AppendHashes(nil, []byte(test.text)); len(got) != 1 ||
				got[0] != test.want {
				t.Errorf("%v, %s of %q: got %x, want %x", test.hash, s, test.text, got, test.want)
			}
		}
	}
}

func TestShinglingAllocatesNothing(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("the quick brown fox jumps ", 80),
		strings.Repeat("日本語の文章 ภาษาไทย コンピューター", 40),
	} {
		for _, s := range []Shingling{
			shingling(t, "word:5"), shingling(t, "char:5"), shingling(t, "char:20"), shingling(t, "auto:3"),
			shingling(t, "word:5").Hashed(Murmur3), shingling(t, "char:5").Hashed(Murmur3), shingling(t, "auto:3").
				Hashed(Murmur3),
			shingling(t, "word:5").Hashed(XXH64), shingling(t, "char:5").Hashed(SHA1),
		} {
			text := []byte(text)
			hashes := s.AppendHashes(nil, text)
			if allocs := testing.AllocsPerRun(50, func() { hashes = Set(s.AppendHashes(hashes[:0], text)) }); allocs != 0 {
				t.Errorf("%v %v: %v allocations", s, s.hash, allocs)
			}
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
	for i, text := range formulaTexts {
		f.Add([]byte(text), i, i%6)
	}
	n := NewNormalizer(DefaultParams())
	f.Fuzz(func(t *testing.T, in []byte, size, kind int) {
		s := shingling(t, "char:"+strconv.Itoa(1+int(uint(size)%MaxChars)))
		if kind := uint(kind) % 3; kind < 2 {
			s = shingling(t, []string{"word:", "auto:"}[kind]+strconv.Itoa(1+int(uint(size)%MaxWords)))
		}
		s = s.Hashed(Hash(uint(kind) / 3 % 2))
		text := n.Append(nil, in)
		for _, text := range [][]byte{in, text} { // text that is not normalised has hashes too, and does no harm
			if got, want := s.AppendHashes(nil, text), naive(s, string(text)); !slices.Equal(got, want) {
				t.Fatalf("%v %v of %q: got %x, want %x", s, s.hash, text, got, want)
			}
		}
		if got, most := s.AppendHashes(nil, text), utf8.RuneCount(text); len(got) > most {
			t.Fatalf("%d shingles of %d code points", len(got), most)
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

// TestEach compares the texts of shingles with their hashes: equal texts, and only these, have equal hashes.
func TestEach(t *testing.T) {
	const normalized = "the cat the cat the cat 猫が好き the cat"
	for _, setting := range []string{"word:2", "char:3", "auto:2", "word:16"} {
		s, err := ParseShingling(setting)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		s.Each([]byte(normalized), func(start, end int) { texts = append(texts, normalized[start:end]) })
		hashes := s.AppendHashes(nil, []byte(normalized))
		if len(texts) != len(hashes) {
			t.Fatalf("%s: %d texts, %d hashes: %q", setting, len(texts), len(hashes), texts)
		}
		for i := range texts {
			for j := range texts {
				if (texts[i] == texts[j]) != (hashes[i] == hashes[j]) {
					t.Errorf("%s: %q and %q", setting, texts[i], texts[j])
				}
			}
		}
	}
	Shingling{}.Each([]byte(normalized), func(int, int) { t.Error("no shingling has no shingles") })
}

// Sketches multiply hashes by odd numbers and use the high bits as draws. These bits must be evenly spread for any
// text, also for shingles that differ little, and for shingles that count upwards.
func TestHashesAreSpread(t *testing.T) {
	texts := map[string]func(i int) string{
		"numbers": func(i int) string { return strconv.Itoa(1000000 + i) },
		"rows":    func(i int) string { return fmt.Sprintf("row%04d", i) },
		"letters": func(i int) string {
			return string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
		},
		"hex":  func(i int) string { return fmt.Sprintf("%016x", i*16) },
		"kana": func(i int) string { return string(rune('ぁ'+i%80)) + string(rune('ァ'+i/80)) },
	}
	const cells, mean, deviations = 128, 127, 16 // of chi squared with 127 degrees of freedom
	for name, text := range texts {
		var words []string
		for i := range 2500 {
			words = append(words, text(i))
		}
		for _, s := range []string{"word:1", "word:3", "char:2", "char:3", "char:5", "char:9", "char:20", "auto:3"} {
			hashes := Set(shingling(t, s).AppendHashes(nil, []byte(strings.Join(words, " "))))
			for _, factor := range []uint64{1, 3, 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93, 0xa0761d6478bd642f} {
				var counts [cells]float64
				for _, h := range hashes {
					counts[h*factor>>57]++
				}
				chi, each := 0.0, float64(len(hashes))/cells
				for _, c := range counts {
					chi += (c - each) * (c - each) / each
				}
				if each > 4 && chi > mean+6*deviations {
					t.Errorf("%s of %s, %d hashes by %#x: chi squared is %.0f, expected %d", s, name, len(hashes), factor, chi, mean)
				}
			}
		}
	}
}
