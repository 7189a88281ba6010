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
