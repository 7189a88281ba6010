package sketch_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

type pair struct{ a, b string }

func pairOf(a, b string) pair { return pair{min(a, b), max(a, b)} }

// corpus is real text, and its pairs of similarity .5 and above, found by comparing all with all.
type corpus struct {
	ids   []string
	texts []string
	exact map[pair]string // similarity to four places
}

func (c *corpus) add(id, text string) {
	c.ids = append(c.ids, id)
	c.texts = append(c.texts, text)
}

// lines returns the lines of a file of the shared data. The test is skipped, and says so, when the file is absent.
func lines(t *testing.T, path ...string) []string {
	t.Helper()
	dir := os.Getenv("UNECHO_TEST_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	name := filepath.Join(append([]string{dir}, path...)...)
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("shared data absent: %s is not there; UNECHO_TEST_DATA names its directory", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []string
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		out = append(out, scanner.Text())
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func exactPairs(t *testing.T, dir string) map[pair]string {
	t.Helper()
	out := map[pair]string{}
	for _, line := range lines(t, dir, "exact_pairs_word3_j0.5.tsv")[1:] {
		field := strings.Split(line, "\t")
		out[pairOf(field[0], field[1])] = field[2]
	}
	return out
}

func kijiji(t *testing.T) *corpus {
	t.Helper()
	c := &corpus{exact: exactPairs(t, "kijiji-rome-rent")}
	for i, line := range lines(t, "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv")[1:] {
		field := strings.Split(line, "\t")
		c.add(strconv.Itoa(i+1), field[0]+" "+field[1])
	}
	return c
}

func mccormick(t *testing.T) *corpus {
	t.Helper()
	c := &corpus{exact: exactPairs(t, "mccormick-articles")}
	for _, line := range lines(t, "mccormick-articles", "articles_2500.train") {
		id, text, _ := strings.Cut(line, " ")
		c.add(id, text)
	}
	return c
}

// shingles returns the hashes of each document, and each document's set of them.
func (c *corpus) shingles(t *testing.T, shingle string) (lists, sets [][]uint64) {
	t.Helper()
	s := newSigner(t, shingle, nil)
	for _, document := range c.texts {
		list := s.shinglesOf([]byte(document))
		lists = append(lists, slices.Clone(list))
		sets = append(sets, text.Set(slices.Clone(list)))
	}
	return lists, sets
}

// signAll returns each document's codes and band keys.
func signAll(lists [][]uint64, s sketch.Sketch) (codes, keys [][]byte) {
	for _, list := range lists {
		s.Sign(list)
		codes = append(codes, s.AppendCodes(nil))
		keys = append(keys, s.AppendKeys(nil, 0, 4))
	}
	return codes, keys
}

// candidatePairs returns the pairs that share a key in any band.
func candidatePairs(keys [][]byte) map[[2]int]bool {
	out := map[[2]int]bool{}
	for at := 0; at < len(keys[0]); at += 4 {
		buckets := map[uint32][]int{}
		for document, k := range keys {
			key := binary.LittleEndian.Uint32(k[at:])
			for _, other := range buckets[key] {
				out[[2]int{other, document}] = true
			}
			buckets[key] = append(buckets[key], document)
		}
	}
	return out
}

func corpora(t *testing.T, check func(*testing.T, *corpus)) {
	t.Run("kijiji", func(t *testing.T) { check(t, kijiji(t)) })
	t.Run("mccormick", func(t *testing.T) { check(t, mccormick(t)) })
}

// On real text at least .98 of the pairs at or above each threshold become candidates, and exact verification keeps no
// pair below it. The truth is the exact join over the same sets, and the pairs that came with the data. For these the
// words were cut differently, which matters for a few pairs only.
func TestRecallAndPrecisionOnRealText(t *testing.T)     { tryRecall(t, 8000, 8000) }
func TestRecallAndPrecisionOnRealTextLong(t *testing.T) { tryRecall(t, 5000, 9500) }

// tryRecall tries the thresholds from from to to, in ten thousandths.
func tryRecall(t *testing.T, from, to int) {
	corpora(t, func(t *testing.T, c *corpus) {
		lists, sets := c.shingles(t, "word:3")
		similar := eval.NewJoin(sets, from).Pairs()
		for tenThousandths := from; tenThousandths <= to; tenThousandths += 500 {
			threshold := float64(tenThousandths) / 10000
			_, keys := signAll(lists, minhash128(t, threshold))
			candidates := candidatePairs(keys)
			found := map[pair]bool{}
			for i := range candidates {
				shared, union := sketch.Jaccard(sets[i[0]], sets[i[1]])
				if sketch.AtLeast(uint32(shared), uint32(union), tenThousandths) {
					found[pairOf(c.ids[i[0]], c.ids[i[1]])] = true
				}
			}
			joined := c.atLeast(similar, tenThousandths)
			given := c.given(threshold)
			recall := share(joined, found)
			t.Logf("threshold %.2f, %v: %6d candidate pairs, %5d similar pairs found of %5d: recall %.4f, %.4f of the given ones",
				threshold, planned(t, threshold), len(candidates), len(found), len(joined), recall, share(given, found))
			if !(recall >= 0.98 && share(given, found) >= 0.98) {
				t.Errorf("threshold %.2f: recall %.4f, %.4f of the given pairs", threshold, recall, share(given, found))
			}
			if !(share(found, joined) == 1 && share(found, given) >= 0.999) {
				t.Errorf("threshold %.2f: precision %.4f, %.4f by the given pairs", threshold, share(found, joined),
					share(found, given))
			}
		}
	})
}

// atLeast returns the pairs at or above the threshold.
func (c *corpus) atLeast(pairs []eval.Pair, tenThousandths int) map[pair]bool {
	out := map[pair]bool{}
	for _, p := range pairs {
		if p.AtLeast(tenThousandths) {
			out[pairOf(c.ids[p.A], c.ids[p.B])] = true
		}
	}
	return out
}

// given returns the pairs at or above the threshold that came with the data.
func (c *corpus) given(threshold float64) map[pair]bool {
	out := map[pair]bool{}
	for p, jaccard := range c.exact {
		if jaccard >= strconv.FormatFloat(threshold, 'f', 4, 64) {
			out[p] = true
		}
	}
	return out
}

// share returns the share of the pairs that others contains too. For no pairs it is NaN, which fails every comparison.
func share(pairs, others map[pair]bool) float64 {
	both := 0
	for p := range pairs {
		if others[p] {
			both++
		}
	}
	return float64(both) / float64(len(pairs))
}

// A SimHash keeps no recall at a similarity. By its default distance it finds a quarter of the pairs of short texts at
// 0.8 and above that are not equal, and nearly all of long ones. A MinHash finds 0.98 of either.
func TestSimHashRecallOnRealText(t *testing.T) {
	for name, test := range map[string]struct {
		corpus func(*testing.T) *corpus
		found  float64 // as deploy/docs/configuration.md says
		within float64
	}{"advertisements": {kijiji, 0.25, 0.02}, "articles": {mccormick, 0.95, 0.55}} {
		t.Run(name, func(t *testing.T) {
			lists, sets := test.corpus(t).shingles(t, "word:3")
			s, err := sketch.NewSimHashSketch(sketch.SimHashParams{Bits: 64, Distance: 3})
			if err != nil {
				t.Fatal(err)
			}
			codes, keys := signAll(lists, s)
			candidates := candidatePairs(keys)
			near, found, within := 0, 0, 0
			for _, p := range eval.NewJoin(sets, 8000).Pairs() {
				if p.Identical() {
					continue
				}
				near++
				if candidates[[2]int{p.A, p.B}] {
					found++
				}
				if sketch.Hamming(codes[p.A], codes[p.B]) <= 3 {
					within++
				}
			}
			t.Logf("of %d near pairs %d are candidates, %d are within the distance", near, found, within)
			if share := float64(found) / float64(near); !(math.Abs(share-test.found) <= 0.1) {
				t.Errorf("%.2f of %d near pairs are candidates; want about %v", share, near, test.found)
			}
			if share := float64(within) / float64(near); !(math.Abs(share-test.within) <= 0.1) {
				t.Errorf("%.2f of %d near pairs are within the distance; want about %v", share, near, test.within)
			}
		})
	}
}

// withShortened adds a copy of every tenth text, without its last word.
func (c *corpus) withShortened() {
	for i := 0; i < len(c.texts); i += 10 {
		if at := strings.LastIndexByte(c.texts[i], ' '); at > 0 {
			c.add(c.ids[i]+" shortened", c.texts[i][:at])
		}
	}
}

// No pair of real texts whose SimHashes are within the distance is missed.
func TestSimHashMissesNothingOnRealText(t *testing.T)     { tryRealSimHash(t, 800) }
func TestSimHashMissesNothingOnRealTextLong(t *testing.T) { tryRealSimHash(t, math.MaxInt) }

// tryRealSimHash uses at most this many documents of each corpus.
func tryRealSimHash(t *testing.T, most int) {
	corpora(t, func(t *testing.T, c *corpus) {
		c.texts = c.texts[:min(most, len(c.texts))]
		c.ids = c.ids[:len(c.texts)]
		c.withShortened()
		lists, _ := c.shingles(t, "word:3")
		for _, p := range []sketch.SimHashParams{{Bits: 64, Distance: 5}, {Bits: 128, Distance: 7}} {
			s, err := sketch.NewSimHashSketch(p)
			if err != nil {
				t.Fatal(err)
			}
			codes, keys := signAll(lists, s)
			candidates := candidatePairs(keys)
			within := 0
			for j := range codes {
				for i := range j {
					if sketch.Hamming(codes[i], codes[j]) > p.Distance {
						continue
					}
					within++
					if !candidates[[2]int{i, j}] {
						t.Errorf("%s and %s are no candidates", c.ids[i], c.ids[j])
					}
				}
			}
			t.Logf("%+v: %d candidate pairs, %d of them within the distance", p, len(candidates), within)
			if within == 0 {
				t.Errorf("%+v: no pair is within the distance", p)
			}
		}
	})
}

// The texts with which a SimHash is often shown: with 32, 64 and 128 bits, edited copies are nearer to each other than to
// any text of another group.
func TestToyTexts(t *testing.T) {
	groups := []int{0, 0, 1, 1, 1, 2, 2}
	toys := corpus{texts: []string{
		"the cat sat in the hat", "the cat sat on the mat", "we all scream for ice scream", "we all scream for ice cream",
		"we all like ice scream", "abcdefg", "abcdefg\nhijklmnop",
	}}
	lists, _ := toys.shingles(t, "char:3")
	for bits, distance := range map[int]int{32: 1, 64: 3, 128: 7} {
		s, err := sketch.NewSimHashSketch(sketch.SimHashParams{Bits: bits, Distance: distance})
		if err != nil {
			t.Fatal(err)
		}
		codes, _ := signAll(lists, s)
		for _, near := range [][2]int{{0, 1}, {2, 3}, {2, 4}, {5, 6}} {
			apart := sketch.Hamming(codes[near[0]], codes[near[1]])
			for other, group := range groups {
				if away := sketch.Hamming(codes[near[0]], codes[other]); group != groups[near[0]] && away <= apart {
					t.Errorf("%d bits: %q is %d bits from %q, and %d from %q", bits, toys.texts[near[0]], apart, toys.texts[near[1]],
						away, toys.texts[other])
				}
			}
		}
	}
}
