package dedup

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval"
)

// chained is a replica that judges by chains, fed with one text after another.
type chained struct {
	t      *testing.T
	series *index.Series
	chains *chains
	signer *index.Signer
	next   int64
	all    *eval.Clusters
	cut    int
}

func chainParams(candidates, references int) index.Params {
	p := index.DefaultParams()
	p.Duplicates.CompareCopies, p.Duplicates.Remember = true, index.RememberParams{Memory: 8 << 30, Clock: "arrival", Refresh: "first"}
	p.Duplicates.MaxCandidates, p.Duplicates.MaxReferences = candidates, references
	return p
}

func newChained(t *testing.T, p index.Params, every bool) *chained {
	t.Helper()
	p, err := p.Planned()
	if err != nil {
		t.Fatal(err)
	}
	c := &chained{t: t, all: eval.NewClusters(0)}
	if c.series, err = index.NewSeries(p, p.Duplicates.Remember.Memory, nil); err != nil {
		t.Fatal(err)
	}
	if c.signer, err = index.NewSigner(p); err != nil {
		t.Fatal(err)
	}
	c.chains = newChains(c.series.Replica(), every)
	return c
}

func (c *chained) entry(text string, offset int64) entry.Entry {
	c.signer.Reset()
	e := entry.Entry{Offset: offset, ID: fmt.Append(nil, offset)}
	c.signer.Sign(&e, []byte(text))
	return e
}

// add judges a text, and returns what it was verified against.
func (c *chained) add(text string) []index.Near {
	if _, err := c.series.Judge([]entry.Entry{c.entry(text, c.next)}); err != nil {
		c.t.Fatal(err)
	}
	c.chains.enter()
	c.all.Grow(int(c.next) + 1)
	for _, n := range c.chains.near {
		c.all.Join(int(n.Offset), int(c.next))
	}
	if c.chains.cut {
		c.cut++
	}
	c.next++
	return c.chains.near
}

// adversary writes texts of 60 words of one kind, of which it is given the numbers.
func adversary(r *rand.Rand, kind string) func(i int) string {
	const length = 60
	common := madeUp(r, length)
	own := madeUp(r, 40*length)
	other := func() string { return own[r.IntN(len(own))] }
	return func(i int) string {
		text := slices.Clone(common)
		switch kind {
		case "equal":
		case "near":
			text[r.IntN(length)] = fmt.Sprint("n", i)
		case "boilerplate":
			for k := range 6 {
				text[length-1-k] = fmt.Sprint(other(), r.IntN(1000))
			}
		case "unlike boilerplate":
			for k := range length / 4 {
				text[length-1-k] = fmt.Sprint(other(), r.IntN(1000))
			}
		case "few words":
			for k := range text {
				text[k] = common[r.IntN(4)]
			}
			text = text[:3+r.IntN(5)]
		case "one shingle":
			for k := 3; k < length; k++ {
				text[k] = other()
			}
		case "chain":
			common[i%length] = fmt.Sprint("c", i)
		case "two, bridged": // texts of two kinds, and of a third that is like both
			for k := range 3 {
				if at := length/2 + 5*k; i%7 < 3 || i%7 == 6 && k < 1 {
					text[at] = "other"
				}
			}
			text[r.IntN(length/2)] = other()
		case "two, bridged by an old one": // the newest documents of the keys that both have are of the second cluster only
			switch {
			case i == 149:
			case i < 66:
				copy(text[length-6:], []string{"a", "b", "c", "d", "e", fmt.Sprint("a", i)})
			default:
				text[0] = fmt.Sprint("b", i)
			}
		}
		return strings.Join(text, " ")
	}
}

func adversaries() []string {
	return []string{
		"equal", "near", "boilerplate", "unlike boilerplate", "few words", "one shingle", "chain", "two, bridged",
		"two, bridged by an old one",
	}
}

// TestChainsAreThoseOfAllPairs: where nothing is cut, the clusters are those of all pairs that share a key, whether
// each similarity is wanted or not; and then the pairs are those of a double loop, too.
func TestChainsAreThoseOfAllPairs(t *testing.T)     { tryAllPairs(t, 150) }
func TestChainsAreThoseOfAllPairsLong(t *testing.T) { tryAllPairs(t, 300) }

func tryAllPairs(t *testing.T, n int) {
	for _, kind := range adversaries() {
		seeds := uint64(1)
		if kind == "two, bridged by an old one" { // with some seeds other keys lead to the old documents too
			seeds = 5
		}
		for seed := range seeds {
			t.Run(fmt.Sprint(kind, seed), func(t *testing.T) { sameAsPairs(t, adversary(rand.New(rand.NewPCG(1, seed)), kind), n) })
		}
	}
}

func sameAsPairs(t *testing.T, next func(i int) string, n int) {
	p := chainParams(math.MaxInt32, math.MaxInt32)
	p.Duplicates.MaxWork = math.MaxInt32
	few, every := newChained(t, p, false), newChained(t, p, true)
	comparer, err := index.NewComparer(p)
	if err != nil {
		t.Fatal(err)
	}
	const width = entry.KeyBytes
	var entered []entry.Entry // the first of each text
	truth := eval.NewClusters(n)
	for i := range n {
		text := next(i)
		few.add(text)
		near := every.add(text)
		own, known := every.entry(text, int64(i)), false
		var want []index.Near
		comparer.Begin(&own)
		for k := range entered {
			e := &entered[k]
			similarity, method, ok := comparer.Compare(e)
			if ok && shareKey(&own, e, width) {
				truth.Join(int(e.Offset), i)
				want = append(want, index.Near{Offset: e.Offset, Similarity: similarity, Method: method})
				known = known || method == compare.Identical
			}
		}
		if !known {
			entered = append(entered, own.Clone())
		}
		if !slices.EqualFunc(near, want, sameNear) {
			t.Fatalf("document %d: got\n%v\nthe double loop says\n%v", i, near, want)
		}
	}
	if few.cut+every.cut > 0 {
		t.Fatalf("%d and %d documents are cut", few.cut, every.cut)
	}
	if !slices.Equal(few.all.Roots(), truth.Roots()) || !slices.Equal(every.all.Roots(), truth.Roots()) {
		t.Errorf("clusters\n%v\n%v\nof all pairs\n%v", few.all.Roots(), every.all.Roots(), truth.Roots())
	}
}

// shareKey says whether two entries have the key of a band in common.
func shareKey(a, b *entry.Entry, width int) bool {
	for at := 0; at < len(a.Keys); at += width {
		if bytes.Equal(a.Keys[at:at+width], b.Keys[at:at+width]) {
			return true
		}
	}
	return false
}

func sameNear(a, b index.Near) bool {
	return a.Offset == b.Offset && a.Similarity == b.Similarity && a.Method == b.Method
}

// TestChainsCostLittle: the work for a document is bounded, whatever the documents are, and does not grow with their
// number. Where they are one cluster, few are compared, none is cut, and the cluster is whole.
func TestChainsCostLittle(t *testing.T) { tryAdversaries(t, 6000) }

func TestChainsCostLittleLong(t *testing.T) { tryAdversaries(t, 100_000) }

func tryAdversaries(t *testing.T, n int) {
	most := map[string]int{"equal": 1, "near": 1, "boilerplate": 10, "chain": 1} // of what is one cluster -> clusters
	for _, kind := range adversaries() {
		t.Run(kind, func(t *testing.T) {
			c := newChained(t, chainParams(64, 3584), false)
			c.addBounded(adversary(rand.New(rand.NewPCG(3, 4)), kind), n)
			clusters := 0
			for i, root := range c.all.Roots() {
				clusters += map[bool]int{true: 1}[i == root]
			}
			each := float64(c.series.Replica().Stats().Candidates) / float64(n)
			t.Logf("%.2f comparisons a document, %d clusters, %d cut", each, clusters, c.cut)
			if most, one := most[kind]; one && (each > 2 || clusters > most || c.cut > 0) {
				t.Errorf("%.2f comparisons a document, %d clusters, %d cut: want at most 2, %d, 0", each, clusters, c.cut, most)
			}
			newChained(t, chainParams(64, 3584), true).addBounded(adversary(rand.New(rand.NewPCG(3, 4)), kind), min(n, 3000))
		})
	}
}

// addBounded judges n texts, none of which may be compared with more than 64, nor told apart from more than a lookup may
// read.
func (c *chained) addBounded(next func(i int) string, n int) {
	c.t.Helper()
	before := c.series.Replica().Stats()
	for i := range n {
		c.add(next(i))
		now := c.series.Replica().Stats()
		if compared := now.Candidates - before.Candidates; compared > 64 {
			c.t.Fatalf("document %d is compared with %d", i, compared)
		}
		if met := now.Dropped - before.Dropped; met > 3584+64*100 {
			c.t.Fatalf("document %d is told apart from %d", i, met)
		}
		before = now
	}
}

func madeUp(r *rand.Rand, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("w%x", r.Uint32())
	}
	return all
}
