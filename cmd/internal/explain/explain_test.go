package explain

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/text"
)

// params are the defaults with some settings changed, each written key=value.
func params(t *testing.T, changes ...string) index.Params {
	t.Helper()
	p := index.DefaultParams()
	fields := setting.Fields(&p)
	for _, change := range changes {
		key, value, _ := strings.Cut(change, "=")
		at := slices.IndexFunc(fields, func(f setting.Field) bool { return f.Key == key })
		if at < 0 {
			t.Fatalf("there is no setting %s", key)
		}
		if mistake := fields[at].Set(value); mistake != nil {
			t.Fatalf("setting %s to %q is refused: %v", key, value, mistake)
		}
	}
	if mistakes := p.Validate(); len(mistakes) > 0 {
		t.Fatalf("the settings with the changes %q are refused: %v", changes, mistakes)
	}
	return p
}

func explained(t *testing.T, p index.Params, a, b string) *Explanation {
	t.Helper()
	x, err := Explain(p, Input{Text: []byte(a)}, Input{Text: []byte(b)})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

const (
	lorem = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et " +
		"dolore magna aliqua. " +
		"Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea commodo consequat. Duis " +
		"aute irure dolor " +
		"in reprehenderit in voluptate velit esse cillum dolore eu fugiat nulla pariatur. Excepteur sint occaecat " +
		"cupidatat non proident"
	loremEnd, loremBla = ", sunt in culpa qui officia deserunt mollit anim id est laborum.", " bla bla bla."
)

// The exact figure is that of "Fast Document Similarity in Python (MinHashLSH)" (N. Di Santo, 2022).
func TestLoremIpsum(t *testing.T) {
	x := explained(t, params(t, "duplicates.shingle=char:10", "normalize.punctuation=keep"), lorem+loremEnd, lorem+loremBla)
	if x.Jaccard != (Share{372, 449, 0.8285077951002228}) || len(x.Shared) != 372 ||
		len(x.A.Only)+len(x.B.Only) != 449-372 {
		t.Errorf("%+v, %d shared, %d and %d not", x.Jaccard, len(x.Shared), len(x.A.Only), len(x.B.Only))
	}
	if x.Verdict != "duplicate" || x.Method != "jaccard" || x.Similarity != 0.8285 ||
		x.Flip != "duplicates.threshold: 0.8286" {
		t.Errorf("%s by %s, %v; otherwise with %s", x.Verdict, x.Method, x.Similarity, x.Flip)
	}
	if s := x.Sketch; x.Error != x.Estimate.Value-x.Jaccard.Value || math.Abs(x.Error) > 0.15 || s.Slots != 78 ||
		s.Bands != 13 || s.Rows != 6 || len(s.MatchingBands) == 0 {
		t.Errorf("%+v, error %v", s, x.Error)
	}
}

func TestLevenshteinIsOfCodePoints(t *testing.T) {
	p := params(t, "duplicates.shingle=char:1", "duplicates.verify=levenshtein", "duplicates.threshold=0.5")
	if x := explained(t, p, "kitten", "sitting"); x.Levenshtein != 1-3./7 || x.LevenshteinOf() != "" {
		t.Errorf("kitten and sitting are similar by %v%s; want %v of the complete texts", x.Levenshtein, x.LevenshteinOf(), 1-3./7)
	}
	if x := explained(t, p, "東京へ行く", "京都へ行く"); x.Levenshtein != 1-2./5 {
		t.Errorf("two texts of 5 code points that differ in 2 are similar by %v; want %v", x.Levenshtein, 1-2./5)
	}
	long := strings.Repeat("é", compare.ComparedText/2)
	if x := explained(t, p, long+" one end", long+" other"); x.Levenshtein != 1 ||
		!strings.Contains(x.LevenshteinOf(), "32 KiB") {
		t.Errorf("beyond what is compared: %v, %q", x.Levenshtein, x.LevenshteinOf())
	}
}

// Weighted, a shingle counts as often as it occurs, and is still named once.
func TestWeighted(t *testing.T) {
	x := explained(t, params(t, "duplicates.shingle=word:1", "duplicates.weighted=true"), "a a a b", "a b b c")
	if x.Jaccard != (Share{2, 6, 2. / 6}) || !slices.Equal(x.Shared, []string{"a", "b"}) ||
		!slices.Equal(x.B.Only, []string{"c"}) || x.A.Shingles != 2 {
		t.Errorf("a a a b and a b b c are explained, weighted, as %+v; want Jaccard 2 of 6, a and b shared, c only in B, "+
			"and 2 shingles in A", x)
	}
}

// What an explanation names as the setting that would flip the verdict does flip it; and the verdict agrees with its
// figures.
func TestFlipFlips(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 6))
	kinds := [][]string{
		{"duplicates.shingle=word:2"},
		{"duplicates.shingle=char:5", "duplicates.threshold=0.6"},
		{"duplicates.shingle=word:1", "duplicates.verify=estimate"},
		{"duplicates.shingle=char:4", "duplicates.verify=levenshtein"},
		{"duplicates.shingle=word:1", "duplicates.weighted=true", "duplicates.threshold=0.5"},
		{"duplicates.shingle=word:1", "duplicates.method=simhash", "duplicates.distance=2"},
		{"duplicates.shingle=word:1", "duplicates.method=simhash", "duplicates.verify=estimate", "duplicates.distance=2"},
	}
	verdicts, flips := map[string]int{}, map[string]int{}
	for i := range 70 {
		kind := kinds[i%len(kinds)]
		a, b := textsOf(random)
		x := explained(t, params(t, kind...), a, b)
		verdicts[x.Verdict]++
		if x.Flip == "" {
			continue
		}
		key, value, _ := strings.Cut(x.Flip, ": ")
		flips[key]++
		if other := explained(t, params(t, append(kind, key+"="+value)...), a, b); other.Verdict == x.Verdict {
			t.Errorf("%v: %s %q\nand %q is not flipped by %s", kind, x.Verdict, a, b, x.Flip)
		}
	}
	if min(verdicts["unique"], verdicts["duplicate"], flips["duplicates.threshold"], flips["duplicates.distance"]) == 0 ||
		len(flips) < 2 {
		t.Errorf("%v, %v: some were never tried", verdicts, flips)
	}
}

func textsOf(random *rand.Rand) (a, b string) {
	words := make([]string, 40+random.IntN(40))
	for i := range words {
		words[i] = fmt.Sprintf("w%d", random.IntN(300))
	}
	edited := slices.Clone(words)
	for range random.IntN(12) {
		edited[random.IntN(len(edited))] = fmt.Sprintf("e%d", random.IntN(300))
	}
	return strings.Join(words, " "), strings.Join(edited, " ") + "."
}

// Texts that are as similar as a threshold of two digits are set apart by the next one: similarities are whole numbers
// of ten thousandths, though some of these fractions are a little less than themselves as floating point numbers.
func TestFlipAtEachHundredth(t *testing.T) {
	words := make([]string, 100)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", i)
	}
	duplicates := 0
	for h := 1; h < 100; h++ {
		p := index.DefaultParams()
		p.Duplicates.Shingle, p.Duplicates.Threshold = "word:1", float64(h)/100
		// who shares a word is a candidate, or nearly so
		p.Duplicates.Slots, p.Duplicates.Bands, p.Duplicates.Rows = 256, 256, 1
		x := explained(t, p, strings.Join(words, " "), strings.Join(words[:h], " "))
		if x.Jaccard.Part != h || x.Jaccard.Whole != 100 {
			t.Fatalf("with %d of 100 words shared, the Jaccard similarity is %+v; want %d of 100", h, x.Jaccard, h)
		}
		if x.Verdict == "unique" {
			continue
		}
		duplicates++
		if want := fmt.Sprintf("duplicates.threshold: %v", float64(100*h+1)/10000); x.Flip != want {
			t.Errorf("at %v: otherwise with %q, want %q", p.Duplicates.Threshold, x.Flip, want)
		}
	}
	if duplicates < 95 {
		t.Errorf("%d duplicates", duplicates)
	}
}

// Equal texts of different scopes are as the service has them, and only the scope is between them.
func TestScopes(t *testing.T) {
	p := params(t, "duplicates.shingle=word:1")
	text := []byte("one and the same text")
	for _, test := range []struct {
		a, b             Input
		verdict, why, by string
	}{
		{Input{Text: text, Scope: 7}, Input{Text: text, Scope: 7}, "duplicate", "the normalised texts are equal", ""},
		{Input{Text: text, Scope: 7}, Input{Text: text, Scope: 8}, "unique", "they belong to different scopes (sources.scope), and documents are compared within one", `sources.scope: ""`},
		{Input{Text: text, Scope: 7}, Input{Text: []byte("another"), Scope: 8}, "unique", "they belong to different scopes (sources.scope), and documents are compared within one", ""},
	} {
		x, err := Explain(p, test.a, test.b)
		if err != nil || x.Verdict != test.verdict || x.Why != test.why || x.Flip != test.by ||
			x.SameScope != (test.a.Scope == test.b.Scope) {
			t.Errorf("%+v, %v; want %+v", x, err, test)
		}
	}
}

func TestWhy(t *testing.T) {
	word := []string{"duplicates.shingle=word:1"}
	bits := append(word, "duplicates.method=simhash", "duplicates.verify=estimate", "duplicates.distance=3")
	long := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
		"eighteen nineteen twenty"
	for _, test := range []struct {
		name     string
		settings []string
		a, b     string
		want     string
		flips    bool
	}{
		{"equal but for case", word, "One, two!", "one TWO", "the normalised texts are equal", false},
		{"nothing to remember", word, " \n", "one two", "the first has no text to compare: it is never remembered", false},
		{"nothing to compare", word, "one two", "", "the second has no text to compare: such a document is unique, or rejected as empty", false},
		{"equal as a whole", word, "👍 …", " 👍 …\n", "the normalised texts are equal", false},
		{"not quite equal as a whole", word, "👍 …", "👍\ufe0f ...", "they are no candidates: they share no band; ", false},
		{"different as a whole", word, "👍👍", "👍", "they are no candidates: they share no band; ", false},
		{"nothing in common", word, "one two", "three four", "they are no candidates: they share no band; ", false},
		{"verified", word, long, long + " more", "they are candidates by ", true},
		{"below", append(word, "duplicates.threshold=0.99"), long, long + " more", "", true},
		{"bits that do not suffice", bits, long, "a b c d e f", "they are no candidates: they share no block of their simhashes, which differ in ", true},
		{"bits that suffice", bits, long, long + " twenty", " of 64 bits, at most the distance of 3", true},
	} {
		x := explained(t, params(t, test.settings...), test.a, test.b)
		if !strings.Contains(x.Why, test.want) || !test.flips && x.Flip != "" {
			t.Errorf("%s: %s, otherwise %q", test.name, x.Why, x.Flip)
		}
		if strings.Contains(x.Why, "threshold") && strings.Contains(test.name, "bits") {
			t.Errorf("%s: the threshold decides nothing: %s", test.name, x.Why)
		}
	}
}

// TestWhatDoesNotCount: explain says what was left out, what that leaves, and what would be without.
func TestWhatDoesNotCount(t *testing.T) {
	p := params(t)
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		t.Fatal(err)
	}
	const template = "to be seen at the office of our agency in the old town"
	p.Duplicates.Ignored = text.Ignore("a list", shingling.AppendHashes(nil, []byte(template)))
	x := explained(t, p, "a flat near the park "+template, "a house on the hill "+template)
	if x.Verdict != "unique" || x.A.Shingles != 5 || len(x.A.Ignored) != 11 || len(x.Shared) != 0 || x.Jaccard.Part != 0 {
		t.Errorf("got %+v, want 5 shingles of A that count, 11 that do not, and none shared", x)
	}
	var out bytes.Buffer
	if err := WriteText(&out, p, x, Also{}); err != nil || !strings.Contains(out.String(), "5 shingles (auto:3) and 11 that do not count, 0.6875 of all\n") ||
		!strings.Contains(out.String(), `not counted    "agency in the", "at the office",`) {
		t.Errorf("the text does not say what is not counted, error %v: %s", err, out.String())
	}
	x = explained(t, p, template, template)
	if x.Verdict != "duplicate" || x.A.Shingles != 11 || x.A.Ignored != nil {
		t.Errorf("got %+v, want that two texts of a template alone are copies by all of their shingles", x)
	}
}

func TestDiff(t *testing.T) {
	p := params(t)
	show := func(a, b string) string {
		var out []string
		for _, piece := range explained(t, p, a, b).Diff() {
			out = append(out, map[report.Side]string{report.Both: "=", report.OnlyA: "-", report.OnlyB: "+", report.Elided: "..."}[piece.In]+piece.Words)
		}
		return strings.Join(out, "|")
	}
	for _, test := range []struct{ a, b, want string }{
		{"the cat sat in the hat", "the cat sat on the mat", "...|=the cat sat|-in the hat|+on the mat"},
		{"same", "same", ""},
		{"one", "", "...|-one"},
		{"- at the front", "+ at the front", ""},
		{"- at the front", "+ at a front", "...|=- at|-the|+a|=front"},
		{"Don't stop, here!", "don t STOP here", ""},
		{"A well-kept lawn; green.", "a well kept lawn, red", "...|=well-kept lawn;|-green.|+red"},
		{"a well-kept lawn", "a well lawn", "...|=a|-well-kept|+well|=lawn"},
		{"a well lawn", "a well-kept lawn", "...|=a|-well|+well-kept|=lawn"},
		{"a1-a2 a3", "a1-x a2-a3", "...|-a1-a2|+a1-x a2-a3|-a3"},
		{"!!!", "???", "...|-!!!|+???"},
		{"wait — what", "wait... what?!", ""},
		{"a\nb", "a b", ""},
	} {
		if got := show(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: %s, want %s", test.a, test.b, got, test.want)
		}
	}
}

// Words are the same by the settings in use.
func TestDiffBySettings(t *testing.T) {
	p := params(t)
	a, b := "Crème brûlée for 12", "creme brulee, for 34"
	if got := explained(t, p, a, b).Diff(); len(got) == 0 {
		t.Error("accents and numbers do not differ")
	}
	p.Normalize.Accents, p.Normalize.Digits = "strip", "mask"
	if got := explained(t, p, a, b).Diff(); len(got) != 0 {
		t.Errorf("with accents stripped and digits masked, Diff is %+v; want no difference", got)
	}
	p = params(t)
	p.Normalize.Punctuation = "keep"
	if got := explained(t, p, "so, what", "so what").Diff(); len(got) == 0 {
		t.Error("punctuation does not differ, and the settings keep it")
	}
}

// Put together again, the pieces are the texts, but for what was left out.
func TestDiffKeepsEachWord(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 30 {
		a, b := textsOf(random)
		x := explained(t, params(t), a, b)
		left, right := strings.Fields(a), strings.Fields(b)
		for _, piece := range x.Diff() {
			ofB := piece.InB
			if piece.In == report.OnlyB {
				piece.Words, ofB = "", piece.Words
			}
			for word := range strings.FieldsSeq(piece.Words) {
				left = after(t, left, word)
			}
			for word := range strings.FieldsSeq(ofB) {
				right = after(t, right, word)
			}
		}
	}
}

// Texts as long as documents may be, with nothing in common, are shown in no more memory than some copies of them take.
func TestDiffOfLongTexts(t *testing.T) {
	words := func(letter string) string { return strings.Repeat(letter+"bcdefgh ", 1<<16) }
	x := &Explanation{
		A: Document{input: Input{Text: []byte(words("a"))}},
		B: Document{input: Input{Text: []byte(words("b"))}}, text: text.DefaultParams(),
	}
	var pieces []report.Piece
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pieces = x.Diff()
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; len(pieces) != 3 ||
		len(pieces[1].Words)+1 != len(x.A.input.Text) || taken > 200 {
		t.Errorf("%d pieces, %d MiB allocated", len(pieces), taken)
	}
}

// after is what stands behind the next occurrence of a word.
func after(t *testing.T, words []string, word string) []string {
	t.Helper()
	at := slices.Index(words, word)
	if at < 0 {
		t.Fatalf("%q is not among %v", word, words)
	}
	return words[at+1:]
}
