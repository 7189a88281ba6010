package index

// Regrow rebuilds all tables, sized for this many documents.
func (r *Replica) Regrow(documents int) { r.find.buckets.Relink(documents) }

// Placed returns of how many representatives the present place is noted.
func (r *Replica) Placed() int { return r.find.window.Stats().Places }

// Read returns how much of files is in memory.
func (r *Replica) Read() int { return r.find.window.Stats().Read }

// PopularKeys returns how many keys are popular.
func (r *Replica) PopularKeys() int { return r.find.popular.size }

// Narrowing says whether the window may be beyond bounds that were narrowed.
func (r *Replica) Narrowing() bool { return r.judge.narrowing }

// Met returns how many references the latest lookup met.
func (r *Replica) Met() (n int) {
	for _, met := range r.find.looked.counts {
		n += met
	}
	return n
}
