package index

import (
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// Records of old documents may lie in files. The replica reads no file: it says what it wants, and is given bytes.
//
//	Files     Unfiled, File    the segments that could lie in a file, and one does now: its records leave memory
//	          Names            the files that are needed still
//	          Wanted, Give     what a call wants that ended early, and it was read
//	          Again            before Inquire, Seek or Step is called, also the first time
//	          Done             what was given to them is dropped, at the next record at the latest
//	Ahead, Searches   what a record will probably want, to be read at once; both may be left out
//	Resume    Apply goes on, of which the Effect wanted something
//
// No verdict and no hash depends on where a record lies.

// Reshape has segments be sealed at this many documents or bytes from now on, so that a test has many small ones.
func (r *Replica) Reshape(documents, bytes int) { r.find.window.SealAt(documents, bytes) }

// Files has what was read of files, and what is wanted. Between two records, or two steps of one, segments may begin to lie
// in files.
func (r *Replica) Files() *window.Files { return r.find.window.Files() }

// Ahead has Wanted return what the entries of a record, from one of them on, will probably be compared with in the tail of
// the window. It may be given before Apply or Resume, in whole, in part or not at all.
func (r *Replica) Ahead(rec Record, from int) {
	r.find.window.Files().Again()
	if of, ok := rec.(entries); ok {
		r.find.buckets.Want(of.size()-from, func(i int) *entry.Entry { return r.lookedUp(of, from+i) })
	}
}

// lookedUp returns an entry of a record; nil if it will not be looked up.
func (r *Replica) lookedUp(of entries, i int) *entry.Entry {
	if e := of.entry(i); e != nil && len(e.Keys) == r.keys {
		return e
	}
	return nil
}

// Searches returns the entries of a record, from one of them on and up to most, and a search that may look them up among
// the documents of blocks, beside the replica; nil if there are none. What it has read is given to Files().Know before
// Apply or Resume.
func (r *Replica) Searches(rec Record, from, most int) (all []*entry.Entry, by window.Search) {
	of, ok := rec.(entries)
	if !ok || len(r.find.window.Files().Blocks()) == 0 {
		return nil, by
	}
	for i := from; i < of.size() && len(all) < most; i++ {
		if e := r.lookedUp(of, i); e != nil {
			all = append(all, e)
		}
	}
	return all, window.Search{Old: r.find.window.Files().Old(), Most: r.find.params.Duplicates.MaxReferences}
}

// Resume goes on with the record of which an effect wanted something. It returns what Apply does.
func (r *Replica) Resume() Effect {
	r.find.window.Files().Again()
	return r.goOn()
}
