package index

// Reshape has segments sealed at so many documents or bytes from now on.
func (r *Replica) Reshape(documents, bytes int) {
	r.window.shape = shape{documents: documents, bytes: bytes}
}

// Regrow makes all tables anew, as large as for so many documents.
func (r *Replica) Regrow(documents int) {
	w := &r.window
	for group := range w.linkGroups() {
		w.linkGroup(group, max(documents, w.visible()))
	}
	w.forgetLookups()
}

// Placed is of how many representatives is noted where they are by now.
func (r *Replica) Placed() int { return len(r.window.places) }

// Forgetful has the outlines of few documents remembered, in so many places, which may become more.
func (r *Replica) Forgetful(places, most int) {
	r.outlines.make(places)
	r.outlines.most = most
}
