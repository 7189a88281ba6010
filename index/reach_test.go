package index

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// What may not be similar enough by lengths and digests is not, but for one in a thousand; and some that are not
// are told apart by them.
func TestMayReach(t *testing.T) {
	for name, set := range map[string]func(*DuplicatesParams){
		"shingles":    func(*DuplicatesParams) {},
		"characters":  func(p *DuplicatesParams) { p.Shingle = "char:5" },
		"levenshtein": func(p *DuplicatesParams) { p.Verify, p.Shingle = "levenshtein", "char:3" },
	} {
		t.Run(name, func(t *testing.T) {
			p := DefaultParams()
			set(&p.Duplicates)
			p, err := p.Planned()
			if err != nil {
				t.Fatal(err)
			}
			verify, err := p.Duplicates.comparer(nil)
			if err != nil {
				t.Fatal(err)
			}
			signer, err := NewSigner(p)
			if err != nil {
				t.Fatal(err)
			}
			sign := func(words []string) (e entry.Entry) {
				signer.Sign(&e, []byte(strings.Join(words, " ")))
				return e
			}
			r := rand.New(rand.NewPCG(33, 3))
			alike, refused, unlike, told := 0, 0, 0, 0
			for range 4000 {
				words := randomWords(r, 10+r.IntN(60))
				signer.Reset()
				x, y := sign(words), sign(altered(r, words))
				verify.Begin(&x)
				s, _ := verify.Measure(&y)
				similar := verify.Reaches(s)
				d := entry.ReadDigest(x.Digest)
				may := verify.MayReach(&y, d.Distance(y.Digest))
				switch {
				case similar && !may:
					refused++
					fallthrough
				case similar:
					alike++
				case !may:
					told++
					fallthrough
				default:
					unlike++
				}
			}
			if alike < 500 || refused*1000 > alike {
				t.Errorf("%d of %d that are similar enough may not be so; want at most one in a thousand, of 500 and more", refused, alike)
			}
			if told*10 < unlike {
				t.Errorf("%d of %d that are not similar enough are told apart; want a tenth of them", told, unlike)
			}
		})
	}
}

// altered returns words of which up to half are replaced, and some taken away or added.
func altered(r *rand.Rand, words []string) []string {
	words = append([]string{}, words...)
	for range r.IntN(len(words)/4 + 1) {
		words[r.IntN(len(words))] = fmt.Sprint(r.IntN(1 << 30))
	}
	if n := r.IntN(len(words)); r.IntN(3) == 0 {
		words = words[:max(5, n)]
	}
	return words
}

func randomWords(r *rand.Rand, n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprint(r.IntN(1 << 20))
	}
	return words
}

// A text that is too short is not compared: it counts against no bound, and cuts nothing.
func TestLengthsCutNothing(t *testing.T) {
	long := strings.Join(randomWords(rand.New(rand.NewPCG(1, 1)), 120), " ")
	words := strings.Fields(long)
	p := DefaultParams()
	p.Duplicates.MaxCandidates = 1
	p, err := p.ForFiles(nil)
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry.Entry
	for _, text := range []string{strings.Join(words[:92], " "), strings.Join(words[28:], " "), long} {
		entries = append(entries, signed(t, p, text))
	}
	verdicts, stats, err := JudgeAll(p, entries)
	if err != nil {
		t.Fatal(err)
	}
	if last := verdicts[2]; last.Matched() || last.Cut || stats.UniqueCut > 0 || stats.Cuts != (Cuts{}) {
		t.Errorf("the verdict is %+v, and %+v are cut; want a unique document and none cut", last, stats.Cuts)
	}
}

// Each bound that leaves candidates out is counted by itself.
func TestCutsNameTheBound(t *testing.T) {
	words := randomWords(rand.New(rand.NewPCG(1, 2)), 100)
	for want, set := range map[string]func(*DuplicatesParams){
		"":               func(*DuplicatesParams) {},
		"max_candidates": func(p *DuplicatesParams) { p.MaxCandidates = 1 },
		"max_references": func(p *DuplicatesParams) { p.MaxReferences = 1 },
		"max_work":       func(p *DuplicatesParams) { p.MaxWork = 10_000 }, // a comparison is of some 8,000 steps
	} {
		p := DefaultParams()
		p.Duplicates.Evidence = "text" // of which no length tells that it is not similar enough
		set(&p.Duplicates)
		p, err := p.ForFiles(nil)
		if err != nil {
			t.Fatal(err)
		}
		var entries []entry.Entry
		for i := range 3 { // each has two words of a hundred of its own, and is just not similar enough to the others: .78
			text := append([]string{}, words...)
			for k := range 2 {
				text[50*k+10*i+10] = fmt.Sprintf("own%d%d", i, k)
			}
			entries = append(entries, signed(t, p, strings.Join(text, " ")))
		}
		verdicts, stats, err := JudgeAll(p, entries)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(stats.Cuts.Hit(), " "); got != want || verdicts[2].Cut != (want != "") {
			t.Errorf("cut by %q, the last verdict is %+v; want a cut by %q", got, verdicts[2], want)
		}
	}
}
