package eval

// Copies are verdicts about documents in their order: for each the one that it is a copy of, so that it leaves, or -1
// if it stays. The one came before, and stays.
type Copies []int

// Standing is what is true of one document.
type Standing struct {
	Left  bool // it leaves
	Right bool // and is a true copy of the one that it leaves for
	Due   bool // a true copy of it came before, and stays: it should leave
}

// ByPairs holds verdicts against pairs that are true.
func (c Copies) ByPairs(pairs []Pair) []Standing {
	all := c.standings()
	for _, p := range pairs {
		all[p.B].Right = all[p.B].Right || c[p.B] == p.A
		all[p.B].Due = all[p.B].Due || c[p.A] < 0
	}
	return all
}

// ByClusters holds verdicts against clusters that are true, each given by its first document as Clusters.Roots gives
// them.
func (c Copies) ByClusters(roots []int) []Standing {
	all := c.standings()
	stays := map[int]bool{}
	for i, of := range c {
		all[i].Right = of >= 0 && roots[of] == roots[i]
		if all[i].Due = stays[roots[i]]; of < 0 {
			stays[roots[i]] = true
		}
	}
	return all
}

func (c Copies) standings() []Standing {
	all := make([]Standing, len(c))
	for i, of := range c {
		all[i].Left = of >= 0
	}
	return all
}

// Roots returns the cluster of each document: what leaves is in that of the one that it leaves for.
func (c Copies) Roots() []int {
	roots := make([]int, len(c))
	for i, of := range c {
		if roots[i] = i; of >= 0 {
			roots[i] = of
		}
	}
	return roots
}

// Count counts documents: those that leave as copies, truly or not, and those that should and do not, or leave for
// another one.
func Count(all []Standing) (s Score) {
	for _, d := range all {
		switch {
		case d.Right:
			s.TruePositives++
		case d.Left:
			s.FalsePositives++
		}
		if d.Due && !d.Right {
			s.FalseNegatives++
		}
	}
	return s
}

// Score counts how pairs found compare with true pairs.
type Score struct {
	TruePositives  int `json:"tp"`
	FalsePositives int `json:"fp"`
	FalseNegatives int `json:"fn"`
}

// True returns how many pairs are true.
func (s Score) True() int { return s.TruePositives + s.FalseNegatives }

// Precision returns the share of the pairs found that are true; 1 if none was found.
func (s Score) Precision() float64 { return share(s.TruePositives, s.FalsePositives) }

// Recall returns the share of the true pairs that were found; 1 if none is true.
func (s Score) Recall() float64 { return share(s.TruePositives, s.FalseNegatives) }

// F1 returns the harmonic mean of precision and recall; 1 if no pair is true and none was found.
func (s Score) F1() float64 {
	return share(2*s.TruePositives, s.FalsePositives+s.FalseNegatives)
}

func share(hits, misses int) float64 {
	if hits+misses == 0 {
		return 1
	}
	return float64(hits) / float64(hits+misses)
}

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
