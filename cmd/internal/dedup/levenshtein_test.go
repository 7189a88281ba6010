package dedup_test

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/eval/synthetic"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Of the pairs that brute force finds by Levenshtein, the bands planned for it keep recall, whatever the shingle that
// is not refused.
func TestLevenshteinKeepsRecall(t *testing.T) {
	tryLevenshtein(t, map[string]func(*testing.T) []string{"records": addresses})
}

func TestLevenshteinKeepsRecallLong(t *testing.T) {
	tryLevenshtein(t, map[string]func(*testing.T) []string{"news": news, "records": addresses, "ads": ads})
}

func tryLevenshtein(t *testing.T, kinds map[string]func(*testing.T) []string) {
	for name, load := range kinds {
		t.Run(name, func(t *testing.T) {
			var texts [][]byte
			normalizer := text.NewNormalizer(text.DefaultParams())
			for _, document := range load(t) {
				texts = append(texts, normalizer.Append(nil, []byte(document)))
			}
			for _, threshold := range []float64{0.8, 0.9} {
				exact := byLevenshtein(texts, int(threshold*10000))
				if len(exact) < 25 {
					t.Fatalf("only %d pairs at %v", len(exact), threshold)
				}
				for _, shingle := range []string{"char:2", "char:3", "char:4", "char:6", "char:8"} {
					p := index.DefaultParams().Duplicates
					p.Verify, p.Shingle, p.Threshold = "levenshtein", shingle, threshold
					if len(refusals(p)) > 0 {
						continue
					}
					found := candidates(t, p, texts)
					missed := slices.DeleteFunc(slices.Clone(exact), func(p eval.Pair) bool { return found[p] })
					recall, n := 1-float64(len(missed))/float64(len(exact)), float64(len(exact))
					chance := 3 * math.Sqrt(p.Recall*(1-p.Recall)/n) // three standard deviations of what so few pairs show
					t.Logf("%s at %v: %d of %d pairs, recall %.4f", shingle, threshold, len(exact)-len(missed), len(exact), recall)
					if recall < p.Recall-chance {
						t.Errorf("%s at %v: recall %.4f of %d pairs, promised %v", shingle, threshold, recall, len(exact), p.Recall)
					}
				}
			}
		})
	}
}

// A text that repeats itself has few shingles, and those of its few edits are many of them: counted once they would be
// lost.
func TestLevenshteinOfTextsThatRepeatThemselves(t *testing.T) {
	p := index.DefaultParams().Duplicates
	p.Verify, p.Shingle, p.Threshold = "levenshtein", "char:4", 0.9
	line := strings.Repeat("the same line again ", 200)
	missed := 0
	for i := range 20 {
		a := []byte(line + strings.Repeat(fmt.Sprintf(" a%d", i), 10) +
			" first things alone stand here and are of no use to any")
		b := []byte(line + strings.Repeat(fmt.Sprintf(" b%d", i), 10) +
			" quite other words however go with that copy of all lines")
		if found := candidates(t, p, [][]byte{a, b}); !found[eval.Pair{A: 0, B: 1}] {
			missed++
		}
	}
	if missed > 0 {
		t.Errorf("%d of 20 are missed", missed)
	}
}

func refusals(p index.DuplicatesParams) []string {
	all := index.DefaultParams()
	all.Duplicates = p
	var out []string
	for _, wrong := range all.Validate() {
		out = append(out, wrong.String())
	}
	return out
}

// candidates are the pairs that share a band.
func candidates(t *testing.T, p index.DuplicatesParams, texts [][]byte) map[eval.Pair]bool {
	t.Helper()
	shingling, err := p.Shingling()
	if err != nil {
		t.Fatal(err)
	}
	all := index.DefaultParams()
	all.Duplicates = p
	if all, err = all.Planned(); err != nil {
		t.Fatal(err)
	}
	s, err := all.Duplicates.NewSketch()
	if err != nil {
		t.Fatal(err)
	}
	type bandKey struct {
		band int
		key  string
	}
	found, having := map[eval.Pair]bool{}, map[bandKey][]int{}
	for i, normalized := range texts {
		s.Sign(shingling.AppendHashes(nil, p.Compared(normalized)))
		band := 0
		for key := range slices.Chunk(s.AppendKeys(nil, 0, 8), 8) {
			at := bandKey{band, string(key)}
			for _, earlier := range having[at] {
				found[eval.Pair{A: earlier, B: i}] = true
			}
			having[at], band = append(having[at], i), band+1
		}
	}
	return found
}

func byLevenshtein(texts [][]byte, threshold int) []eval.Pair {
	var l sketch.Levenshtein
	var pairs []eval.Pair
	for i, a := range texts {
		for j, b := range texts[:i] {
			longer, shorter := max(utf8.RuneCount(a), utf8.RuneCount(b)), min(utf8.RuneCount(a), utf8.RuneCount(b))
			if shorter*10000 < longer*threshold {
				continue
			}
			if num, den := l.Similarity(a, b, threshold); sketch.AtLeast(num, den, threshold) {
				pairs = append(pairs, eval.Pair{A: j, B: i})
			}
		}
	}
	return pairs
}

// news are generated articles, and copies of them with typing errors, other words, or another passage.
func news(t *testing.T) []string {
	t.Helper()
	p := synthetic.DefaultParams()
	p.Documents = 1000
	f, err := synthetic.NewArticles(p)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(37, 3))
	var originals, all []string
	for i := 0; len(originals) < 150; i++ {
		d := f.At(i)
		originals = append(originals, d.Text[:min(len(d.Text), 200+random.IntN(400))])
	}
	for _, original := range originals {
		all = append(all, original)
		for range 2 {
			all = append(all, editOf(random, original, originals))
		}
	}
	return all
}

func editOf(random *rand.Rand, original string, others []string) string {
	switch random.IntN(3) {
	case 0:
		return mistyped(random, original, 0.22*random.Float64())
	case 1:
		words, rate := strings.Fields(original), 0.3*random.Float64()
		for i := range words {
			if random.Float64() < rate {
				from := strings.Fields(others[random.IntN(len(others))])
				words[i] = from[random.IntN(len(from))]
			}
		}
		return strings.Join(words, " ")
	}
	n := random.IntN(len(original) / 4)
	at, other := random.IntN(len(original)-n), others[random.IntN(len(others))]
	return original[:at] + other[:min(n, len(other))] + original[at+n:]
}

// mistyped replaces, drops and adds letters.
func mistyped(random *rand.Rand, original string, rate float64) string {
	var out []byte
	for _, c := range []byte(original) {
		letter := byte('a' + random.IntN(26))
		switch kind := random.IntN(3); {
		case random.Float64() >= rate:
			out = append(out, c)
		case kind == 0:
			out = append(out, letter)
		case kind == 1:
			out = append(out, c, letter)
		}
	}
	return string(out)
}

// addresses are short records, as of restaurants, and the same as others write them.
func addresses(t *testing.T) []string {
	t.Helper()
	random := rand.New(rand.NewPCG(37, 4))
	pick := func(list string) string {
		words := strings.Fields(list)
		return words[random.IntN(len(words))]
	}
	syllables := func(n int) (word string) {
		for range n {
			word += pick("ba ca da fe go ha li ma no pa ri sa ta vo win ber lan mor ton sen")
		}
		return word
	}
	var all []string
	for range 200 {
		name := pick("cafe bistro the chez la grill") + " " + syllables(2+random.IntN(2))
		street := fmt.Sprintf("%d %s. %s", 1+random.IntN(9999), pick("n s e w"), syllables(2+random.IntN(2)))
		city, phone := pick("atlanta boston chicago denver oakland seattle"),
			fmt.Sprintf("%d-%d", 100+random.IntN(900), 1000+random.IntN(9000))
		kind := pick("american italian french seafood delis")
		all = append(all, fmt.Sprintf("%s %s blvd. %s %s %s", name, street, city, phone, kind))
		copied := fmt.Sprintf("%s %s %s %s %s %s", name, street, pick("blvd. boulevard"), city, phone,
			pick("american italian french seafood delis"))
		all = append(all, mistyped(random, copied, 0.12*random.Float64()))
	}
	return all
}

func ads(t *testing.T) []string {
	t.Helper()
	file, err := os.Open(shared(t, "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && len(all) < 500 {
		columns := strings.Split(lines.Text(), "\t")
		all = append(all, columns[0]+"\n"+columns[1])
	}
	return all[1:]
}
