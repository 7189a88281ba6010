package ignore_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/ignore"
)

// adverts are of 20 agencies, each with a template of 150 words in which it puts 50 words of its own. Every fourth is an earlier
// one with two words replaced, in the template of any agency. of is the number of the first of each family.
func adverts(n int) (texts []string, of []int) {
	random := rand.New(rand.NewPCG(39, 2))
	some := func(words int) []string {
		all := make([]string, words)
		for i := range all {
			all[i] = fmt.Sprint("w", random.IntN(20_000))
		}
		return all
	}
	var templates, bodies [][]string
	for range 20 {
		templates = append(templates, some(150))
	}
	for i := range n {
		own, first := some(50), i
		if i%4 == 3 {
			k := random.IntN(i)
			own, first = append([]string(nil), bodies[k]...), of[k]
			own[random.IntN(25)], own[25+random.IntN(25)] = "another", "word"
		}
		template := templates[random.IntN(len(templates))]
		texts = append(texts, strings.Join(template[:75], " ")+" "+strings.Join(own, " ")+" "+strings.Join(template[75:], " "))
		bodies, of = append(bodies, own), append(of, first)
	}
	return texts, of
}

// score holds the verdicts about texts against their families.
func score(t *testing.T, p index.Params, texts []string, of []int) eval.Score {
	t.Helper()
	signer, err := index.NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]entry.Entry, len(texts))
	for i, text := range texts {
		signer.Sign(&entries[i], []byte(text))
	}
	verdicts, _, err := index.JudgeAll(p, entries)
	if err != nil {
		t.Fatal(err)
	}
	copies := make(eval.Copies, len(verdicts))
	for i := range verdicts {
		copies[i] = verdicts[i].CopyOf()
	}
	return eval.Count(copies.ByClusters(of))
}

func listed(t *testing.T, p index.Params, share float64, texts []string) index.Params {
	t.Helper()
	l, _, _ := find(t, p, share, texts)
	file, err := l.Append(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	if p.Duplicates.Ignored, err = ignore.Read(p, file); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWhatAListGives: copies among adverts of some templates are told by no threshold until the templates do not count.
func TestWhatAListGives(t *testing.T) {
	texts, of := adverts(1000)
	best := map[bool]float64{}
	for _, threshold := range []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
		p := index.DefaultParams()
		p.Duplicates.Threshold = threshold
		for _, list := range []bool{false, true} {
			q := p
			if list {
				q = listed(t, p, 0.02, texts)
			}
			s := score(t, q, texts, of)
			t.Logf("threshold %v, list %v: precision %.3f, recall %.3f, F1 %.3f", q.Duplicates.Threshold, list, s.Precision(), s.Recall(), s.F1())
			best[list] = max(best[list], s.F1())
		}
	}
	if best[false] > 0.3 || best[true] < 0.99 {
		t.Errorf("best F1 is %.3f without a list, want 0.3 at most, and %.3f with it, want 0.99", best[false], best[true])
	}
}

// TestNothingIsLostOfRealTexts: of real texts a list of their own common passages costs no copy of a similarity of 0.9, by the pairs
// that come with them.
func TestNothingIsLostOfRealTexts(t *testing.T) {
	data := os.Getenv("UNECHO_TEST_DATA")
	if data == "" {
		t.Skip("UNECHO_TEST_DATA names no directory with the texts")
	}
	for _, file := range []string{"kijiji-rome-rent/dataset_rent_rome_kijiji.tsv", "mccormick-articles/articles_2500.train"} {
		texts, of := labelled(t, filepath.Join(data, file))
		p := index.DefaultParams()
		p.Duplicates.Shingle = "word:3" // as of the pairs
		for _, share := range []float64{0.02, 0.05} {
			s := score(t, listed(t, p, share, texts), texts, of)
			t.Logf("%s, share %v: %d copies found, %d missed", file, share, s.TruePositives, s.FalseNegatives)
			if s.TruePositives == 0 || s.FalseNegatives > 0 {
				t.Errorf("%s, share %v: %d copies are found, %d missed; want all found", file, share, s.TruePositives, s.FalseNegatives)
			}
		}
	}
}

// labelled reads texts, a line each, and the clusters of those that are alike. Advertisements are called by their numbers, articles
// by their first word.
func labelled(t *testing.T, path string) (texts []string, of []int) {
	t.Helper()
	numbers := map[string]int{}
	each(t, path, func(line string) {
		name, text, article := strings.Cut(line, " ")
		if columns := strings.Split(line, "\t"); len(columns) > 1 {
			name, text, article = strconv.Itoa(len(texts)), columns[0]+"\n"+columns[1], true
		}
		if article {
			numbers[name] = len(texts)
			texts = append(texts, text)
		}
	})
	clusters := eval.NewClusters(len(texts))
	each(t, filepath.Join(filepath.Dir(path), "exact_pairs_word3_j0.5.tsv"), func(line string) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		a, one := numbers[columns[0]]
		b, other := numbers[columns[1]]
		if one && other && columns[2] >= "0.9" {
			clusters.Join(a, b)
		}
	})
	return texts, clusters.Roots()
}

func each(t *testing.T, path string, take func(line string)) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		take(line)
	}
}
