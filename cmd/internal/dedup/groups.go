package dedup

import (
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/eval"
)

// Representative says which document of a cluster stands for it.
type Representative uint8

// Representatives. Of equally long ones the first stands for the cluster.
const (
	First Representative = iota
	Last
	Longest
)

// Groups gathers clusters: two documents are in one if a chain of verified matches connects them. It takes some 40 bytes a
// document and the length of its name.
type Groups struct {
	choice   Representative
	clusters *eval.Clusters
	names    []byte
	ends     []int64 // document -> where its name ends
	lengths  []uint32
	best     []partner
	chosen   []int32 // root -> representative, once they are chosen
}

// partner is the document most similar to another, of those that it was verified against.
type partner struct {
	document   int32
	similarity index.Similarity // Den 0: none
	method     index.Method
}

// NewGroups makes an empty Groups.
func NewGroups(choice Representative) *Groups {
	return &Groups{choice: choice, clusters: eval.NewClusters(0)}
}

// Choice is what NewGroups was told.
func (g *Groups) Choice() Representative { return g.choice }

// Add takes the next document; each is added once, rejected ones too, in the order of their numbers.
func (g *Groups) Add(o *Outcome) {
	g.clusters.Grow(len(g.ends) + 1)
	g.names = append(g.names, o.Name...)
	g.ends = append(g.ends, int64(len(g.names)))
	g.lengths = append(g.lengths, uint32(len(o.Raw)))
	g.best = append(g.best, partner{})
}

// Join takes a verified match of two documents that were added.
func (g *Groups) Join(a, b int64, similarity index.Similarity, method index.Method) {
	g.clusters.Join(int(a), int(b))
	for _, p := range [][2]int64{{a, b}, {b, a}} {
		if best := &g.best[p[0]]; best.similarity.Den == 0 || best.similarity.Less(similarity) {
			*best = partner{document: int32(p[1]), similarity: similarity, method: method}
		}
	}
}

// Choose chooses the representatives. After it, nothing is added.
func (g *Groups) Choose() {
	g.chosen = make([]int32, len(g.ends))
	for i := range g.chosen {
		g.chosen[i] = -1
	}
	for i := range g.ends {
		root := g.clusters.Root(i)
		if now := g.chosen[root]; now < 0 || g.rather(i, int(now)) {
			g.chosen[root] = int32(i)
		}
	}
}

// rather says whether a later document shall stand for the cluster instead of an earlier one.
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

// Len is the number of documents.
func (g *Groups) Len() int { return len(g.ends) }

// Cluster is the document that stands for a document's cluster.
func (g *Groups) Cluster(document int) int { return int(g.chosen[g.clusters.Root(document)]) }

// Name is a document's name.
func (g *Groups) Name(document int) []byte {
	from := int64(0)
	if document > 0 {
		from = g.ends[document-1]
	}
	return g.names[from:g.ends[document]]
}

// Partner is the document most similar to one that has a match.
func (g *Groups) Partner(document int) (other int, similarity index.Similarity, method index.Method) {
	p := g.best[document]
	return int(p.document), p.similarity, p.method
}
