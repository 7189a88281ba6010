package synthetic_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/eval/synthetic"
)

// All texts of a family are as similar as its comment says, those of two families are less so, and the same seed makes
// the same texts.
func TestBoilerplate(t *testing.T) {
	for _, of := range []synthetic.Boilerplate{
		{Common: 160}, {Common: 170, Anywhere: true}, {Common: 160, Parts: true, Mixed: true},
	} {
		of.Originals, of.Copies, of.Seed = 30, 20, 3
		t.Run(fmt.Sprintf("%+v", of), func(t *testing.T) {
			texts, families := of.Make()
			if again, _ := of.Make(); !slices.Equal(texts, again) || len(texts) != 50 {
				t.Errorf("%d texts, and the same ones again: %v; want 50 and true", len(texts), slices.Equal(texts, again))
			}
			kin := 0
			for i := range texts {
				for k := range i {
					common := shared(shingles(texts[i]), shingles(texts[k]))
					same := families[i] == families[k]
					if same != (common == 183) {
						t.Errorf("texts %d and %d have %d shingles of 198 in common, and are of one family: %v", i, k, common, same)
					}
					if same {
						kin++
					}
				}
			}
			if kin < of.Copies {
				t.Errorf("%d pairs are of one family, want at least %d", kin, of.Copies)
			}
		})
	}
}

func shingles(text string) map[string]bool {
	words, all := strings.Fields(text), map[string]bool{}
	for i := range len(words) - 2 {
		all[strings.Join(words[i:i+3], " ")] = true
	}
	return all
}

func shared(a, b map[string]bool) (n int) {
	for s := range a {
		if b[s] {
			n++
		}
	}
	return n
}
