package eval_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// sharedLines returns the lines of a file of the shared data. The test is skipped, and says so, when the file is
// absent.
func sharedLines(t *testing.T, path ...string) []string {
	t.Helper()
	dir := os.Getenv("UNECHO_TEST_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	name := filepath.Join(append([]string{dir}, path...)...)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("shared data absent: %s is not there; UNECHO_TEST_DATA names its directory", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(data), "\n"), "\n")
}

// sets returns the sets of unchanged texts, without the normal form of the service.
func setsOf(t *testing.T, shingle string, texts []string) [][]uint64 {
	t.Helper()
	shingling, err := text.ParseShingling(shingle)
	if err != nil {
		t.Fatal(err)
	}
	sets := make([][]uint64, len(texts))
	for i, document := range texts {
		sets[i] = slices.Clone(text.Set(shingling.AppendHashes(nil, []byte(document))))
	}
	return sets
}

// kijiji returns the advertisements as "Fast Document Similarity in Python (MinHashLSH)" (N. Di Santo, 2022) reads
// them: title, a space, description, in lower case, with each run of spaces as one space. Spaces at the ends stay;
// without them there would be two pairs more.
func kijiji(t *testing.T) []string {
	t.Helper()
	spaces := regexp.MustCompile(" +")
	var texts []string
	for _, line := range sharedLines(t, "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv")[1:] {
		columns := strings.Split(line, "\t")
		texts = append(texts, spaces.ReplaceAllString(strings.ToLower(columns[0]+" "+columns[1]), " "))
	}
	return texts
}

// copiesOf returns the verdicts about sets of runs of ten words, judged in their order at 0.8.
func copiesOf(t *testing.T, sets [][]uint64, slots int, banding sketch.Banding) (copies eval.Copies) {
	t.Helper()
	p := index.DefaultParams()
	p.Duplicates.Shingle, p.Duplicates.Slots, p.Duplicates.Bands, p.Duplicates.Rows = "word:10", slots, banding.Bands, banding.Rows
	signer, err := index.NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]entry.Entry, len(sets))
	for i, set := range sets {
		signer.SignShingles(&entries[i], set)
	}
	verdicts, _, err := index.JudgeAll(p, entries)
	if err != nil {
		t.Fatal(err)
	}
	for i := range verdicts {
		copies = append(copies, verdicts[i].CopyOf())
	}
	return copies
}

// countedPairs finds all pairs by counting the shared elements of every two sets that share any. It leaves out nothing,
// and costs a hundredth of comparing all pairs.
func countedPairs(sets [][]uint64, threshold int) []eval.Pair {
	var pairs []eval.Pair
	having := map[uint64][]int{}
	shared := make([]int, len(sets))
	for a := len(sets) - 1; a >= 0; a-- {
		clear(shared)
		for _, shingle := range sets[a] {
			for _, b := range having[shingle] {
				shared[b]++
			}
			having[shingle] = append(having[shingle], a)
		}
		from := len(pairs)
		for b := a + 1; b < len(sets); b++ {
			p := eval.Pair{A: a, B: b, Shared: shared[b], Union: len(sets[a]) + len(sets[b]) - shared[b]}
			if p.Shared > 0 && p.AtLeast(threshold) {
				pairs = append(pairs, p)
			}
		}
		slices.Reverse(pairs[from:])
	}
	slices.Reverse(pairs)
	return pairs
}

// TestKijiji compares the join, and the bands of that article and of our own plan, with all pairs.
func TestKijiji(t *testing.T) {
	const threshold = 8000
	sets := setsOf(t, "char:10", kijiji(t))
	truth := countedPairs(sets, threshold)
	if len(sets) != 2627 || len(truth) != 10_360 {
		t.Fatalf("%d pairs among %d documents, want 10360 among 2627", len(truth), len(sets))
	}
	if joined := eval.NewJoin(sets, threshold).Pairs(); !slices.Equal(joined, truth) {
		t.Errorf("the join finds %d pairs", len(joined))
	}
	planned, err := sketch.Plan(0.8, 128, 0.98)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		slots   int
		banding sketch.Banding
	}{
		{"50 slots in 10 bands", 50, sketch.Banding{Bands: 10, Rows: 5}},
		{"as planned", 128, planned},
	} {
		score := eval.Count(copiesOf(t, sets, test.slots, test.banding).ByPairs(truth))
		t.Logf("%s (%v): %d of %d copies", test.name, test.banding, score.TruePositives, score.True())
		if score.Precision() != 1 || score.Recall() < 0.98 || score.True() < 1000 {
			t.Errorf("%s: the score is %+v; want precision 1 and recall 0.98 or more of 1000 copies or more", test.name, score)
		}
	}
}

// TestMcCormick finds the plagiarised articles and nothing else, at any threshold from a half to nine tenths, among all
// pairs and among the candidates of the default plan.
func TestMcCormick(t *testing.T) {
	for _, size := range []string{"1000", "2500"} {
		t.Run(size, func(t *testing.T) {
			numbers, truth, texts := map[string]int{}, []eval.Pair{}, []string{}
			for i, line := range sharedLines(t, "mccormick-articles", "articles_"+size+".train") {
				id, article, _ := strings.Cut(line, " ")
				numbers[id] = i
				texts = append(texts, article)
			}
			for _, line := range sharedLines(t, "mccormick-articles", "articles_"+size+".truth") {
				ids := strings.Fields(line)
				a, b := numbers[ids[0]], numbers[ids[1]]
				truth = append(truth, eval.Pair{A: min(a, b), B: max(a, b)})
			}
			slices.SortFunc(truth, func(p, q eval.Pair) int { return p.A - q.A })
			normalizer := text.NewNormalizer(text.DefaultParams())
			for i := range texts {
				texts[i] = string(normalizer.Append(nil, []byte(texts[i])))
			}
			sets := setsOf(t, "word:3", texts)
			planted := func(found []eval.Pair) bool {
				return slices.EqualFunc(found, truth, func(p, q eval.Pair) bool { return p.A == q.A && p.B == q.B })
			}
			if found := countedPairs(sets, 5000); !planted(found) || len(found) == 0 {
				t.Errorf("all pairs: %v", found)
			}
			if found := eval.NewJoin(sets, 9000).Pairs(); !planted(found) {
				t.Errorf("the join: %v", found)
			}
			planned, err := sketch.Plan(0.8, 128, 0.98)
			if err != nil {
				t.Fatal(err)
			}
			score := eval.Count(copiesOf(t, sets, 128, planned).ByPairs(truth))
			if want := (eval.Score{TruePositives: len(truth)}); score != want {
				t.Errorf("by the default plan the score is %+v; want %+v", score, want)
			}
		})
	}
}
