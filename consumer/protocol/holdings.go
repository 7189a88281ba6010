package protocol

import "slices"

// Holdings are the partitions that a session has.
type Holdings struct {
	mode     Mode
	assigned []*Assignment // in the order in which they were given
	named    map[PartitionName]*Assignment
	leaving  []*Assignment // they were taken away, and their base may not be announced
	revoked  bool          // some were taken away since the last abort
}

// Mode is that of the session.
func (h *Holdings) Mode() Mode { return h.mode }

// Assigned lists the partitions that the session reads. It is not to be changed.
func (h *Holdings) Assigned() []*Assignment { return h.assigned }

// Revoked says that some were taken away since the last abort.
func (h *Holdings) Revoked() bool { return h.revoked }

// Find returns the assignment of a partition, or nil.
func (h *Holdings) Find(name PartitionName) *Assignment { return h.named[name] }

// Give notes partitions that were taken over. A partition may be given twice: then it was lost in between. The client
// reports only the first loss before a transaction ends.
func (h *Holdings) Give(of ...*Assignment) {
	for _, a := range of {
		h.named[a.Name()] = a
	}
	kept := slices.DeleteFunc(slices.Clone(h.assigned), func(a *Assignment) bool { return h.named[a.Name()] != a })
	h.assigned = append(kept, of...)
}

// Take notes partitions that were taken away, given back or lost. Their bases are still to be announced: what this
// session has committed stays committed, whoever has the partition now.
func (h *Holdings) Take(names ...PartitionName) {
	h.revoked = h.revoked || len(names) > 0
	for _, name := range names {
		if a := h.named[name]; a != nil {
			h.leaving = append(h.leaving, a)
			delete(h.named, name)
		}
	}
	h.assigned = slices.DeleteFunc(slices.Clone(h.assigned), func(a *Assignment) bool { return h.named[a.Name()] != a })
}

// Unannounced lists the assignments whose base the journal does not know. Partitions that have left come first.
func (h *Holdings) Unannounced() (of []*Assignment) {
	h.leaving = slices.DeleteFunc(h.leaving, func(a *Assignment) bool { return !a.Unannounced() })
	of = slices.Clone(h.leaving)
	for _, a := range h.assigned {
		if a.Unannounced() {
			of = append(of, a)
		}
	}
	return of
}

// owing lists the assignments of which something was passed on, and the journal has yet to be told of it.
func (h *Holdings) owing() (of []*Assignment) {
	for _, a := range h.assigned {
		if a.HasUnjournaled() {
			of = append(of, a)
		}
	}
	return of
}
