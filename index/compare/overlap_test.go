package compare

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// pair is the sizes of two sets of hashes, and how many hashes they share.
func pair(r *rand.Rand, n, m, shared int) (a, b []uint64) {
	all := make([]uint64, n+m-shared)
	for i := range all {
		all[i] = r.Uint64()
	}
	return text.Set(slices.Clone(all[:n])), text.Set(slices.Clone(all[n-shared:]))
}

func shingled(set []uint64) *entry.Entry {
	return &entry.Entry{Kind: entry.Shingles, Evidence: entry.AppendShingles(nil, set)}
}

func measured(threshold int, a, b []uint64) Similarity {
	x := &overlap{least: Similarity{Num: uint32(threshold), Den: Scale}}
	x.begin(shingled(a))
	return x.similarity(shingled(b))
}

// truth returns the exact similarity of the hashes, or none if it is below the threshold: then any lower value is
// allowed.
func truth(threshold int, a, b []uint64) Similarity {
	shared, union := sketch.Jaccard(a, b)
	if !sketch.AtLeast(uint32(shared), uint32(union), threshold) {
		return unlike()
	}
	return Similarity{Num: uint32(shared), Den: uint32(union)}
}

// Evidence of shingles yields the exact similarity, whatever the sizes, except where two shortened hashes are equal by
// chance. In those few pairs it yields more, never less.
func TestOverlapIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	pairs, chance, verdicts := 0, 0, 0
	for _, n := range []int{1, 2, 5, 18, 63, 64, 65, 128, 340, 512, 513, 700, 1100, 2100} {
		for range 300 {
			m := n + r.IntN(n+1)
			shared := n - r.IntN(n+1)*r.IntN(n+1)/n
			a, b := pair(r, n, m, shared)
			if r.IntN(2) == 0 {
				a, b = b, a
			}
			threshold := 5000 + r.IntN(5001)
			got, want := measured(threshold, a, b), truth(threshold, a, b)
			pairs++
			if got.Less(want) {
				t.Fatalf("%d and %d hashes, %d shared, threshold %d: got %v, truth is %v", n, m, shared, threshold, got, want)
			}
			if got != want {
				chance++
				if want == unlike() {
					verdicts++
				}
			}
		}
	}
	t.Logf("%d pairs, %d with false matches, %d verdicts changed", pairs, chance, verdicts)
	if chance > pairs/50 || verdicts > pairs/1000 {
		t.Errorf("%d of %d pairs are not exact, %d verdicts changed", chance, pairs, verdicts)
	}
}

func TestOverlapIsSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for range 2000 {
		n := 1 + r.IntN(900)
		m := 1 + r.IntN(900)
		a, b := pair(r, n, m, r.IntN(min(n, m)+1))
		threshold := 1 + r.IntN(Scale)
		if x, y := measured(threshold, a, b), measured(threshold, b, a); x != y {
			t.Fatalf("%d and %d hashes, threshold %d: %v one way, %v the other", n, m, threshold, x, y)
		}
	}
}

// A duplicate at one threshold is a duplicate at each lower threshold, with the same similarity.
func TestOverlapIsMonotonic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		n := 1 + r.IntN(700)
		a, b := pair(r, n, n, r.IntN(n+1))
		similarity := unlike()
		for threshold := Scale; threshold > 0; threshold -= 1 + r.IntN(300) {
			s := measured(threshold, a, b)
			if similarity != unlike() && s != similarity {
				t.Fatalf("%d hashes: %v, and at threshold %d %v", n, similarity, threshold, s)
			}
			similarity = s
			if s != unlike() && !sketch.AtLeast(s.Num, s.Den, threshold) {
				t.Fatalf("%d hashes: %v is below the threshold %d", n, s, threshold)
			}
		}
	}
}

// Repetitions count: the similarity of two lists is that of the multisets.
func TestOverlapOfLists(t *testing.T) {
	a := []uint64{1 << 60, 1 << 60, 1 << 60, 2 << 60, 3 << 60}
	b := []uint64{1 << 60, 1 << 60, 2 << 60, 2 << 60, 3 << 60}
	if got := measured(1, a, b); got != (Similarity{Num: 4, Den: 6}) {
		t.Errorf("got %v", got)
	}
}

// Evidence of another kind of verification, or broken evidence, is similar to nothing.
func TestOverlapOfNothing(t *testing.T) {
	a := shingled([]uint64{1, 2, 3})
	for name, bad := range map[string]*entry.Entry{
		"text":   {Kind: entry.Text, Evidence: a.Evidence},
		"none":   {},
		"broken": {Kind: entry.Shingles, Evidence: a.Evidence[1:]},
	} {
		x := &overlap{least: Similarity{Num: 1, Den: Scale}}
		x.begin(a)
		if got := x.similarity(bad); got != unlike() {
			t.Errorf("%s as the candidate: %v", name, got)
		}
		x.begin(bad)
		if got := x.similarity(a); got != unlike() {
			t.Errorf("%s as the entry: %v", name, got)
		}
	}
}

// need returns the least number of shared hashes that reaches the threshold.
func TestNeed(t *testing.T) {
	for _, threshold := range []int{1, 3333, 5000, 6667, 8000, 9999, 10000} {
		x := &overlap{least: Similarity{Num: uint32(threshold), Den: Scale}}
		for both := 2; both < 300; both++ {
			reaches := func(shared int) bool {
				return sketch.AtLeast(uint32(shared), uint32(both-shared), threshold)
			}
			if need := x.need(both); !reaches(need) || need > 1 && reaches(need-1) {
				t.Fatalf("threshold %d, %d hashes: %d", threshold, both, need)
			}
		}
	}
}

// kijiji is a corpus of advertisements. Tests that need it are skipped, and say so, when it is absent.
func kijiji(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("UNECHO_TEST_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	name := filepath.Join(dir, "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv")
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("shared data absent: %s is not there; UNECHO_TEST_DATA names its directory", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
}

// Real texts of any similarity from one half on: with shingles as evidence each pair is judged as with the texts
// themselves, at each threshold, and hardly any pair is called more similar than it is.
func TestOverlapOnRealText(t *testing.T)     { tryRealText(t, kijiji(t)[:1000], 200) }
func TestOverlapOnRealTextLong(t *testing.T) { tryRealText(t, kijiji(t), 1000) }

func tryRealText(t *testing.T, documents []string, least int) {
	for _, setting := range []string{"word:3", "char:5"} {
		t.Run(setting, func(t *testing.T) {
			sets := shingleSets(t, setting, documents)
			pairs := eval.NewJoin(sets, 5000).Pairs()
			inexact, verdicts, bytes := 0, 0, 0
			for _, set := range sets {
				bytes += len(entry.AppendShingles(nil, set))
			}
			for _, p := range pairs {
				got, want := measured(5000, sets[p.A], sets[p.B]), Similarity{Num: uint32(p.Shared), Den: uint32(p.Union)}
				if got.Less(want) {
					t.Fatalf("documents %d and %d: got %v, truth is %v", p.A, p.B, got, want)
				}
				if got == want {
					continue
				}
				inexact++
				for threshold := 5000; threshold <= Scale; threshold += 500 {
					if sketch.AtLeast(got.Num, got.Den, threshold) != sketch.AtLeast(want.Num, want.Den, threshold) {
						verdicts++
					}
				}
			}
			t.Logf("%d documents of %d bytes of evidence, %d pairs, %d with false matches, %d verdicts changed at 11 thresholds",
				len(sets), bytes/len(sets), len(pairs), inexact, verdicts)
			if len(pairs) < least || inexact*100 > len(pairs) || verdicts*1000 > len(pairs) {
				t.Errorf("of %d pairs %d have false matches, %d verdicts changed", len(pairs), inexact, verdicts)
			}
		})
	}
}

func shingleSets(t *testing.T, setting string, documents []string) (sets [][]uint64) {
	t.Helper()
	shingling, err := text.ParseShingling(setting)
	if err != nil {
		t.Fatal(err)
	}
	normalizer := text.NewNormalizer(text.DefaultParams())
	for _, document := range documents {
		sets = append(sets, text.Set(shingling.AppendHashes(nil, normalizer.Append(nil, []byte(document)))))
	}
	return sets
}
