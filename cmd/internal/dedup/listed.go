package dedup

import "github.com/unecho/unecho/cmd/internal/outfile"

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
