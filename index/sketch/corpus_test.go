package sketch_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

type pair struct{ a, b string }

func pairOf(a, b string) pair { return pair{min(a, b), max(a, b)} }

// corpus is real text and its pairs of similarity .5 and above, which were found by comparing all with all.
type corpus struct {
	ids   []string
	texts []string
	exact map[pair]string // similarity to four places
}

func (c *corpus) add(id, text string) {
	c.ids = append(c.ids, id)
	c.texts = append(c.texts, text)
}

// lines of a file of the shared data; that it is absent is said, not hidden.
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

// signCorpus yields each document's set of shingles and its band keys.
func signCorpus(t *testing.T, c *corpus) (sets [][]uint64, keys [][]byte, plan sketch.Banding) {
	t.Helper()
	minhash, err := sketch.NewMinHash(slots)
	if err != nil {
		t.Fatal(err)
	}
	s := newSigner(t, "word:3", minhash.Sign)
	for _, document := range c.texts {
		s.shingles, s.keys = nil, nil
		s.signDocument([]byte(document))
		keys = append(keys, s.keys)
		sets = append(sets, text.Set(s.shingles))
	}
	return sets, keys, s.plan
}

// candidatePairs are those that share a key in any band.
func candidatePairs(keys [][]byte, plan sketch.Banding) map[[2]int]bool {
	out := map[[2]int]bool{}
	for band := range plan.Bands {
		buckets := map[uint32][]int{}
		for document, k := range keys {
			key := binary.LittleEndian.Uint32(k[band*4:])
			for _, other := range buckets[key] {
				out[[2]int{other, document}] = true
			}
			buckets[key] = append(buckets[key], document)
		}
	}
	return out
}

// On real text at least .98 of the pairs at or above the threshold become candidates, and exact verification keeps no other.
func TestRecallAndPrecisionOnRealText(t *testing.T) {
	for _, data := range []struct {
		name string
		load func(*testing.T) *corpus
	}{{"kijiji", kijiji}, {"mccormick", mccormick}} {
		t.Run(data.name, func(t *testing.T) {
			c := data.load(t)
			sets, keys, plan := signCorpus(t, c)
			similar := map[pair]bool{}
			for p, jaccard := range c.exact {
				if jaccard >= "0.8000" {
					similar[p] = true
				}
			}
			candidates := candidatePairs(keys, plan)
			found, wrong := 0, 0
			for i := range candidates {
				shared, union := sketch.Jaccard(sets[i[0]], sets[i[1]])
				if !sketch.AtLeast(uint32(shared), uint32(union), 8000) {
					continue
				}
				if similar[pairOf(c.ids[i[0]], c.ids[i[1]])] {
					found++
				} else {
					wrong++
					t.Errorf("%s and %s: %d/%d here, %q there", c.ids[i[0]], c.ids[i[1]], shared, union, c.exact[pairOf(c.ids[i[0]], c.ids[i[1]])])
				}
			}
			recall := float64(found) / float64(len(similar))
			t.Logf("%d documents, %d candidate pairs, %d of %d similar pairs found: recall %.4f", len(sets), len(candidates), found, len(similar), recall)
			if len(similar) == 0 || recall < 0.98 || wrong > 0 {
				t.Errorf("recall %.4f, %d pairs too many", recall, wrong)
			}
		})
	}
}
