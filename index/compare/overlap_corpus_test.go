package compare

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

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
