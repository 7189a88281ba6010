package dedup

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/index/compare"
)

// Report gathers what the page of a run shows. It takes 8 bytes of memory for each document; texts are in a temporary
// file, and come back for the few that are shown. Which these are follows from the documents alone.
type Report struct {
	least    float64 // the threshold
	texts    *textFile
	places   *report.Rows // of all documents
	random   *rand.Rand
	bins     [similarityBins + 1]similarityBin // the last one is for those that are the same
	rejected map[string]int64                  // reason -> documents
	clusters []cluster                         // the largest, once they are known
	sizes    [sizeBins]int64                   // clusters of 2, of 3 and 4, of 5 to 8, ...
	count    int64                             // clusters of several documents
}

const (
	similarityBins = 10
	sizeBins       = 24
	pairsEach      = 3 // pairs that are shown of each similarity
	mostClusters   = 6 // clusters that are shown
	membersEach    = 3 // members that are shown of a cluster, beside the one that represents it
)

// similarityBin counts the duplicates whose most similar document is so similar, and keeps some of them.
type similarityBin struct {
	n     int64
	pairs []sampledPair
}

type sampledPair struct {
	a, b       int64 // documents; b is the later one
	nameA      string
	nameB      string
	similarity compare.Similarity
	method     compare.Method
}

type cluster struct {
	size    int
	name    string
	members []sampledPair // each beside the document that represents the cluster
}

// NewReport makes an empty Report. base is the number of the first document that is read.
func NewReport(least float64, base int64) (*Report, error) {
	texts, err := newTextFile(base)
	return &Report{
		least: least, texts: texts, places: &report.Rows{}, random: rand.New(rand.NewPCG(1, 2)), rejected: map[string]int64{},
	}, err
}

// remember keeps the text of the next document.
func (r *Report) remember(o *Outcome) error {
	if r == nil {
		return nil
	}
	return r.texts.add(o.Text)
}

// add takes the next document that is judged.
func (r *Report) add(o *Outcome) error {
	if r != nil && o.Rejected != nil {
		r.rejected[string(o.Rejected.Reason)]++
	}
	return r.remember(o)
}

// met takes the matches of a document.
func (r *Report) met(number int64, name []byte, found []Match) {
	o := Outcome{Matches: found}
	best := o.Best()
	if r == nil || best == nil {
		return
	}
	bin := &r.bins[r.bin(best)]
	bin.n++
	p := sampledPair{a: best.Number, b: number, similarity: best.Similarity, method: best.Method}
	at := len(bin.pairs)
	if at == pairsEach { // of n pairs, each stays with the same chance (Vitter 1985, algorithm R)
		if at = int(r.random.Int64N(bin.n)); at >= pairsEach {
			return
		}
	} else {
		bin.pairs = append(bin.pairs, p)
	}
	p.nameA, p.nameB = r.called(best.Number, best.Name), r.called(number, name)
	bin.pairs[at] = p
}

// called is what the page calls a document: its name, and where it is, as several may have one name.
func (r *Report) called(number int64, name []byte) string {
	file, row := r.places.Of(number, string(name))
	at := fmt.Sprintf("%s:%d", file, row)
	if row == 0 || at == string(name) {
		return string(name)
	}
	return string(name) + " (" + at + ")"
}

func (r *Report) bin(m *Match) int {
	if m.Method == compare.Identical || m.Similarity.Num == m.Similarity.Den {
		return similarityBins
	}
	at := int((similarityOf(m.Similarity) - r.least) / (1 - r.least) * similarityBins)
	return min(max(at, 0), similarityBins-1)
}

func similarityOf(s compare.Similarity) float64 { return float64(s.TenThousandths()) / 10000 }

func (r *Report) group(g *Groups) {
	if r == nil {
		return
	}
	var largest [][]int64
	for _, members := range membersOf(g) {
		r.count++
		r.sizes[sizeBin(len(members))]++
		at, _ := slices.BinarySearchFunc(largest, members, func(a, b []int64) int {
			return cmp.Or(cmp.Compare(len(b), len(a)), -1) // of equally large ones the first stays in front
		})
		if largest = slices.Insert(largest, at, members); len(largest) > mostClusters {
			largest = largest[:mostClusters]
		}
	}
	for _, members := range largest {
		r.clusters = append(r.clusters, r.cluster(g, members))
	}
}

// sizeBin returns the bin for clusters of n documents: 0 for 2, 1 for 3 and 4, 2 for 5 to 8, ...
func sizeBin(n int) (bin int) {
	for most := 2; n > most && bin < sizeBins-1; most *= 2 {
		bin++
	}
	return bin
}

// cluster samples the members of a cluster. The first is the document that represents it.
func (r *Report) cluster(g *Groups, members []int64) cluster {
	first := members[0]
	c := cluster{size: len(members), name: r.called(first, g.Name(first))}
	rest := members[1:]
	for _, at := range r.random.Perm(len(rest))[:min(membersEach, len(rest))] {
		m := rest[at]
		partner := g.Partner(m)
		p := sampledPair{a: first, b: m, nameA: r.called(partner.Number, partner.Name), nameB: r.called(m, g.Name(m))}
		p.similarity, p.method = partner.Similarity, partner.Method
		c.members = append(c.members, p)
	}
	slices.SortFunc(c.members, func(a, b sampledPair) int { return cmp.Compare(a.b, b.b) })
	return c
}

// Close removes the temporary file.
func (r *Report) Close() error {
	if r == nil {
		return nil
	}
	return r.texts.close()
}
