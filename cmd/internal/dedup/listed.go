package dedup

import (
	"cmp"
	"slices"

	"github.com/unecho/unecho/cmd/internal/outfile"
)

// member is a document of a cluster of several. Clusters are ranked by their first document.
type member struct {
	rank     int
	document int64
}

// list writes the clusters of several documents as fdupes writes files: a name a line, that of the unique one first, and
// an empty line behind each cluster. Behind the id of a row stands where it is.
func (d *Outputs) list(g *Groups) error {
	if d.listed == nil {
		return nil
	}
	for cluster := range slices.Values(membersOf(g)) {
		d.line = d.line[:0]
		for _, m := range cluster {
			name := string(g.Name(m.document))
			if file, row := d.rowOf(m.document, name); row > 0 {
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

// membersOf returns the clusters of several documents.
func membersOf(g *Groups) (all [][]member) {
	first, end := g.Numbers()
	several := map[int64]int{} // a cluster's unique document, or one of the index -> rank
	for i := first; i < end; i++ {
		if cluster := g.Cluster(i); cluster != i {
			several[cluster] = -1
		}
	}
	var members []member
	ranks := 0
	for i := first; i < end; i++ {
		cluster := g.Cluster(i)
		rank, ok := several[cluster]
		if !ok {
			continue
		}
		if rank < 0 {
			rank, ranks = ranks, ranks+1
			several[cluster] = rank
			members = append(members, member{rank, cluster})
		}
		if i != cluster {
			members = append(members, member{rank, i})
		}
	}
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(a.rank, b.rank) })
	for len(members) > 0 {
		n := 1
		for n < len(members) && members[n].rank == members[0].rank {
			n++
		}
		all, members = append(all, members[:n]), members[n:]
	}
	return all
}
