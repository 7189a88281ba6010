package sketch

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// plainDistance fills the whole table, row by row.
func plainDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal + 1
			if x == y {
				cost = diagonal
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func checkLevenshtein(t *testing.T, l *Levenshtein, a, b string, tenThousandths int) {
	t.Helper()
	x, y := []rune(a), []rune(b)
	longer := max(len(x), len(y))
	num, den := longer-plainDistance(x, y), longer
	if !AtLeast(uint32(num), uint32(den), tenThousandths) {
		num = 0
	}
	if longer == 0 {
		den = 1
	}
	if gotNum, gotDen := l.Similarity([]byte(a), []byte(b), tenThousandths); int(gotNum) != num || int(gotDen) != den {
		t.Fatalf("%.200q and %.200q at %d: got %d/%d, want %d/%d", a, b, tenThousandths, gotNum, gotDen, num, den)
	}
}

func TestLevenshtein(t *testing.T) {
	var l Levenshtein
	for _, c := range []struct {
		a, b     string
		at       int
		num, den uint32
	}{
		{"", "", 0, 0, 1},
		{"", "", 8000, 0, 1},
		{"", "abc", 0, 0, 3},
		{"abc", "abc", 10000, 3, 3},
		{"kitten", "sitting", 0, 4, 7},
		{"kitten", "sitting", 5714, 4, 7},
		{"kitten", "sitting", 5715, 0, 7},
		{"größe", "grösse", 0, 4, 6}, // runes, not bytes
		{"日本語", "日本国", 6666, 2, 3},
		{"😀😃", "😀", 0, 1, 2},
		{"a\xff", "a\xfe", 0, 2, 2}, // bytes that are not UTF-8 count as U+FFFD
		{"abc", "abd", -5, 2, 3},
		{"abc", "abc", 20000, 3, 3},
	} {
		if num, den := l.Similarity([]byte(c.a), []byte(c.b), c.at); num != c.num || den != c.den {
			t.Errorf("%q and %q at %d: got %d/%d, want %d/%d", c.a, c.b, c.at, num, den, c.num, c.den)
		}
	}
}

// edited returns the text with about this many runes deleted, replaced or followed by another.
func edited(random *rand.Rand, text []rune, alphabet, edits int) []rune {
	out := slices.Clone(text)
	for range edits {
		at := random.IntN(len(out) + 1)
		r := rune('a' + random.IntN(alphabet))
		switch kind := random.IntN(3); {
		case kind == 0 || at == len(out):
			out = slices.Insert(out, at, r)
		case kind == 1:
			out[at] = r
		default:
			out = slices.Delete(out, at, at+1)
		}
	}
	return out
}

func TestLevenshteinAgainstThePlainTable(t *testing.T)     { tryPlainTable(t, 400) }
func TestLevenshteinAgainstThePlainTableLong(t *testing.T) { tryPlainTable(t, 40_000) }

func tryPlainTable(t *testing.T, trials int) {
	random := rand.New(rand.NewPCG(41, 1))
	var l Levenshtein
	for trial := range trials {
		alphabet := []int{1, 2, 4, 26, 1000}[random.IntN(5)]
		text := make([]rune, random.IntN([]int{3, 70, 200, 600}[trial%4]))
		for i := range text {
			text[i] = rune('a' + random.IntN(alphabet))
		}
		other := edited(random, text, alphabet, random.IntN(len(text)+3)*random.IntN(5)/4)
		if random.IntN(10) == 0 { // a block moved: far from the diagonal
			at := random.IntN(len(other) + 1)
			other = slices.Concat(other[at:], other[:at])
		}
		checkLevenshtein(t, &l, string(text), string(other),
			[]int{0, 1, 5000, 8000, 9500, 10000, random.IntN(10001)}[random.IntN(7)])
	}
}

// Texts much longer than the band is wide: near, on both sides of the threshold, and without any order.
func TestLevenshteinOfLongTexts(t *testing.T)     { tryLongTexts(t, 1000) }
func TestLevenshteinOfLongTextsLong(t *testing.T) { tryLongTexts(t, 3000) }

func tryLongTexts(t *testing.T, runes int) {
	english, err := os.ReadFile("testdata/english.txt")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(42, 1))
	var l Levenshtein
	text := []rune(strings.Repeat(string(english), 5))
	// of 3000 runes in all but the first
	for _, c := range []struct{ times, edits int }{{10, 20}, {3, 500}, {3, 680}, {3, 800}, {3, 2000}} {
		of := text[:runes*c.times/3]
		checkLevenshtein(t, &l, string(of), string(edited(random, of, 26, c.edits*runes/3000)), 8000)
	}
	shuffled := slices.Clone(text[:runes])
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	checkLevenshtein(t, &l, string(text[:runes]), string(shuffled), 5000)
	checkLevenshtein(t, &l, string(text[:runes]), string(shuffled), 1000)
}

func TestLevenshteinAllocatesNothing(t *testing.T) {
	var l Levenshtein
	a, b := []byte(strings.Repeat("the cat säß on the mat ", 50)), []byte(strings.Repeat("the cat sat on the mat ", 50))
	compare := func() { l.Similarity(a, b, 5000) }
	compare()
	if allocs := testing.AllocsPerRun(20, compare); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func FuzzLevenshtein(f *testing.F) {
	f.Add("kitten", "sitting", 5000)
	f.Add("", "a\xff", 0)
	f.Add(strings.Repeat("ab", 40), strings.Repeat("ba", 45), 9000)
	f.Add(strings.Repeat("日本", 70), "日"+strings.Repeat("本日", 60), 1)
	f.Fuzz(func(t *testing.T, a, b string, tenThousandths int) {
		if len(a) > 2000 || len(b) > 2000 {
			return // the plain table would take too long
		}
		var l Levenshtein
		checkLevenshtein(t, &l, a, b, tenThousandths)
		checkLevenshtein(t, &l, b, a, tenThousandths) // with the buffers that the first call left
	})
}
