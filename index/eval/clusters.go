package eval

// Clusters groups documents into clusters: two are in one cluster if a chain of pairs connects them. It is a forest of
// disjoint sets with union by smallest root, so that a cluster's root is its first document, and path halving (Tarjan
// and van Leeuwen 1984).
type Clusters struct {
	parents []int32
}

// NewClusters makes n clusters of one document each.
func NewClusters(n int) *Clusters {
	c := &Clusters{}
	c.Grow(n)
	return c
}

// Grow adds clusters of one document each until there are n documents.
func (c *Clusters) Grow(n int) {
	for len(c.parents) < n {
		c.parents = append(c.parents, int32(len(c.parents)))
	}
}

// Join puts two documents, and all that are in their clusters, into one.
func (c *Clusters) Join(a, b int) {
	a, b = c.Root(a), c.Root(b)
	c.parents[max(a, b)] = int32(min(a, b))
}

// Root returns the first document of a document's cluster; it identifies the cluster.
func (c *Clusters) Root(document int) int {
	for int(c.parents[document]) != document {
		c.parents[document] = c.parents[c.parents[document]]
		document = int(c.parents[document])
	}
	return document
}

// Roots returns the root of each document.
func (c *Clusters) Roots() []int {
	roots := make([]int, len(c.parents))
	for i := range roots {
		roots[i] = c.Root(i)
	}
	return roots
}

// AdjustedRand returns the adjusted Rand index of two clusterings of the same documents, each given by a label for each
// document. It is 1 if they agree completely, about 0 if they agree as much as by chance, and never above 1 (Hubert and
// Arabie, "Comparing Partitions", 1985). It is also 1 where chance cannot be distinguished from agreement, as with one
// cluster for all in both.
func AdjustedRand(a, b []int) float64 {
	both, left, right := map[[2]int]int{}, map[int]int{}, map[int]int{}
	for i := range a {
		both[[2]int{a[i], b[i]}]++
		left[a[i]]++
		right[b[i]]++
	}
	// Whole numbers below 2^53 add up exactly as float64 too, in whichever order a map yields them.
	var together, inA, inB float64
	for _, n := range both {
		together += twos(n)
	}
	for _, n := range left {
		inA += twos(n)
	}
	for _, n := range right {
		inB += twos(n)
	}
	expected := inA * inB / max(1, twos(len(a)))
	most := (inA + inB) / 2
	if most == expected {
		return 1
	}
	return (together - expected) / (most - expected)
}

func twos(n int) float64 { return float64(n) * float64(n-1) / 2 }
