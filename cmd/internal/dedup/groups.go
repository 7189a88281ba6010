package dedup

import (
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/eval"
)

// Representative says which document of a cluster stands for it.
type Representative uint8

// Rules for the representative. Of equally long documents the first is chosen. If documents of the index belong to the
// cluster, the first of them is chosen in any case.
const (
	First Representative = iota
	Last
	Longest
)

// Groups gathers clusters: two documents are in one if a chain of verified matches connects them. It takes some 40
// bytes per document and the length of its name, and 8 bytes for each document of the index that they are compared
// with.
type Groups struct {
	choice   Representative
	first    int64 // number of the first document that is added; those with lower numbers belong to the index
	clusters *eval.Clusters
	names    []byte
	ends     []int64 // document -> where its name ends
	lengths  []uint32
	best     []partner
	indexed  map[int64]string // names of documents of the index
	chosen   []int32          // root -> representative, once they are chosen
}

// partner is the most similar of the documents that another was verified against.
type partner struct {
	document   int32
	similarity compare.Similarity // Den 0: none
	method     compare.Method
}

// NewGroups makes an empty Groups for documents with numbers from first on.
func NewGroups(choice Representative, first int64) *Groups {
	return &Groups{choice: choice, first: first, clusters: eval.NewClusters(int(first)), indexed: map[int64]string{}}
}

// Add adds the next document. Each is added once, in the order of their numbers, rejected ones too.
func (g *Groups) Add(o *Outcome) {
	g.clusters.Grow(int(g.first) + len(g.ends) + 1)
	g.names = append(g.names, o.Name...)
	g.ends = append(g.ends, int64(len(g.names)))
	g.lengths = append(g.lengths, uint32(o.Length))
	g.best = append(g.best, partner{})
}

// Join adds a verified match between a document that was added and one that was added before or belongs to the index.
func (g *Groups) Join(document int64, m *Match) {
	g.clusters.Join(int(m.Number), int(document))
	g.meet(document, m.Number, m)
	if m.Number >= g.first {
		g.meet(m.Number, document, m)
	} else if _, known := g.indexed[m.Number]; !known {
		g.indexed[m.Number] = string(m.Name)
	}
}

// meet remembers the most similar document. Of equally similar ones it prefers one of equal text, then the first.
func (g *Groups) meet(document, other int64, m *Match) {
	best := &g.best[document-g.first]
	same := best.similarity.Den > 0 && !m.Similarity.Less(best.similarity)
	if best.similarity.Den == 0 || best.similarity.Less(m.Similarity) ||
		same && m.Method == compare.Identical && best.method != compare.Identical {
		*best = partner{document: int32(other), similarity: m.Similarity, method: m.Method}
	}
}

// Choose chooses the representatives. Nothing may be added afterwards.
func (g *Groups) Choose() {
	g.chosen = make([]int32, int(g.first)+len(g.ends))
	for i := range g.chosen {
		g.chosen[i] = -1
	}
	for i := range g.ends {
		document := int(g.first) + i
		root := g.clusters.Root(document)
		switch now := g.chosen[root]; {
		case root < int(g.first):
			g.chosen[root] = int32(root)
		case now < 0 || g.rather(i, int(now)-int(g.first)):
			g.chosen[root] = int32(document)
		}
	}
}

// rather says whether a later document should represent the cluster instead of an earlier one.
func (g *Groups) rather(later, earlier int) bool {
	switch g.choice {
	case Last:
		return true
	case Longest:
		return g.lengths[later] > g.lengths[earlier]
	case First:
	}
	return false
}

// Numbers returns the numbers of the documents that were added: from first up to, but not including, end.
func (g *Groups) Numbers() (first, end int64) { return g.first, g.first + int64(len(g.ends)) }

// Cluster returns the document that represents a document's cluster.
func (g *Groups) Cluster(document int64) int64 {
	return int64(g.chosen[g.clusters.Root(int(document))])
}

// Name returns the name of a document that was added, or of one of the index that was joined.
func (g *Groups) Name(document int64) []byte {
	i := document - g.first
	if i < 0 {
		return []byte(g.indexed[document])
	}
	from := int64(0)
	if i > 0 {
		from = g.ends[i-1]
	}
	return g.names[from:g.ends[i]]
}

// Partner returns the document most similar to one that has a match.
func (g *Groups) Partner(document int64) Match {
	p := g.best[document-g.first]
	return Match{Number: int64(p.document), Name: g.Name(int64(p.document)), Similarity: p.similarity, Method: p.method}
}

// list writes the clusters of several documents as fdupes writes files: a name a line, that of the unique one first, and
// an empty line behind each cluster. Behind the id of a row stands where it is.
func (d *Outputs) list(g *Groups) error {
	if d.listed == nil {
		return nil
	}
	for _, cluster := range membersOf(g) {
		d.line = d.line[:0]
		for _, document := range cluster {
			name := string(g.Name(document))
			if file, row := d.rowOf(document, name); row > 0 {
				d.line = outfile.AppendTSV(d.line, name, file, rowText(row))
			} else {
				d.line = outfile.AppendTSV(d.line, name)
			}
		}
		if err := d.listed.Line(append(d.line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// membersOf returns the clusters of several documents, in the order of the first of each that was judged. The document that
// represents a cluster stands in front.
func membersOf(g *Groups) (all [][]int64) {
	first, end := g.Numbers()
	several := map[int64]int{} // the document that represents a cluster -> its place; -1: none yet
	for i := first; i < end; i++ {
		if cluster := g.Cluster(i); cluster != i {
			several[cluster] = -1
		}
	}
	for i := first; i < end; i++ {
		cluster := g.Cluster(i)
		at, ok := several[cluster]
		if ok && at < 0 {
			at = len(all)
			several[cluster], all = at, append(all, []int64{cluster})
		}
		if i != cluster {
			all[at] = append(all[at], i)
		}
	}
	return all
}
