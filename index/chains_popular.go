package index

import "slices"

// tableKey is a band key as the references in a table know it.
type tableKey struct {
	table int
	hash  uint32
}

func (w *window) tableKey(k walk) tableKey { return tableKey{k.band, w.probed.probes[k.band].hash} }

// popular is what chains know of a popular key: one document of each cluster that its documents are in. Where that is
// only the cluster of the entry at hand, reading on would find nothing new. Clusters grow together, so the list is
// shortened whenever it is read.
type popular struct {
	of    []ref
	mixed bool // they are in too many clusters, or it is not known in which
}

// mostClusters is how many clusters of a popular key are told apart.
const mostClusters = 16

// learnPopular finds what is known of the popular keys of the lookup at hand. Of a key that was not popular before, all
// references are read once.
func (r *Replica) learnPopular() {
	c, w := r.chains, &r.window
	c.keys = c.keys[:0]
	if c.Every {
		return
	}
	for _, k := range w.popular {
		key := w.tableKey(k)
		p := c.popular[key]
		if p == nil {
			p = r.newPopular(k.band)
			c.popular[key] = p
		}
		c.keys = append(c.keys, p)
	}
}

func (r *Replica) newPopular(table int) *popular {
	w, p := &r.window, &popular{}
	met, same := len(w.met), len(w.same)
	first := w.probed.probes[table].line
	p.mixed = w.readOn(walk{line: first, at: first.count(), band: table}, min(w.most, unlimited), w.span())
	for _, age := range w.met[met:] {
		r.chains.enter(p, w.end-1-ref(age))
	}
	w.met, w.same = w.met[:met], w.same[:same]
	return p
}

// enter adds a document to those of a popular key.
func (c *Chains) enter(p *popular, at ref) {
	if p.mixed {
		return
	}
	root := ref(c.clusters.Root(int(at)))
	if slices.Contains(p.of, root) {
		return
	}
	if p.of = c.distinct(p.of); slices.Contains(p.of, root) {
		return
	}
	if len(p.of) == mostClusters {
		p.of, p.mixed = nil, true
		return
	}
	p.of = append(p.of, root)
}

// distinct replaces documents by the roots of their clusters, each once.
func (c *Chains) distinct(of []ref) []ref {
	kept := of[:0]
	for _, at := range of {
		if root := ref(c.clusters.Root(int(at))); !slices.Contains(kept, root) {
			kept = append(kept, root)
		}
	}
	return kept
}

// settles says whether all documents of a popular key are in the cluster of the entry at hand.
func (c *Chains) settles(p *popular) bool {
	if p.mixed || !c.joined {
		return false
	}
	p.of = c.distinct(p.of)
	return len(p.of) == 1 && p.of[0] == ref(c.clusters.Root(c.own))
}

// settled drops from a lookup what is known to be in the cluster of the entry at hand: popular keys, and documents that
// were met.
func (r *Replica) settled() {
	c, w := r.chains, &r.window
	if !c.joined || c.Every {
		return
	}
	w.popular = slices.DeleteFunc(w.popular, func(k walk) bool {
		p := c.popular[w.tableKey(k)]
		return p != nil && c.settles(p)
	})
	newest := w.end - 1
	w.met = slices.DeleteFunc(w.met, func(age uint32) bool { return c.has(newest - ref(age)) })
}

// unsettled returns how many of the keys that were not read to the end may have documents that are in no cluster with
// the entry at hand.
func (r *Replica) unsettled() (n int) {
	c := r.chains
	for _, k := range r.window.unread {
		if p := c.popular[r.window.tableKey(k)]; p == nil || !c.settles(p) {
			n++
		}
	}
	return n
}

// enlist adds the entry at hand to its popular keys.
func (r *Replica) enlist() {
	for _, p := range r.chains.keys {
		r.chains.enter(p, ref(r.chains.own))
	}
}
