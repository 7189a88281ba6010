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
//	          Sounder, Take    the same, checked beside the replica
//	          Again            before Inquire, Seek or Step is called, also the first time
//	          Done             what was given to them is dropped, at the next record at the latest
//	Ahead     what a record will probably want, to be read at once; it may be left out
//	Resume    Apply goes on, of which the Effect wanted something
//
// No verdict and no hash depends on where a record lies.

// Reshape has segments be sealed at this many documents or bytes from now on. A test has many small ones.
func (r *Replica) Reshape(documents, bytes int) { r.find.window.SealAt(documents, bytes) }

// Files has what was read of files, and what is wanted. Between two records, or two steps of one, segments may begin to lie
// in files.
func (r *Replica) Files() *window.Files { return r.find.window.Files() }

// Ahead has Wanted return what some entries of a record, from one of them on, will probably be compared with in the tail of
// the window. The search looks them up among the documents of blocks, beside the replica. What both have read may be given
// before Apply or Resume, in whole, in part or not at all.
func (r *Replica) Ahead(rec Record, from, most int) (old window.Search) {
	w := r.find.window.Files()
	w.Again()
	of, ok := rec.(entries)
	if !ok {
		return old
	}
	looked := func(i int) *entry.Entry {
		if e := of.entry(from + i); e != nil && len(e.Keys) == r.keys {
			return e
		}
		return nil
	}
	n := min(of.size()-from, most)
	r.find.buckets.Want(n, looked)
	if len(w.Blocks()) == 0 {
		return old
	}
	old = window.Search{Old: w.Old(), Most: r.find.params.Duplicates.MaxReferences}
	for i := range n {
		if e := looked(i); e != nil {
			sought := window.Sought{Entry: e}
			if r.underway.rec == nil { // else a lookup may be half done
				sought.Fine = r.find.fineAhead(e)
			}
			old.Entries = append(old.Entries, sought)
		}
	}
	return old
}

// Resume goes on with the record of which an effect wanted something. It returns what Apply does.
func (r *Replica) Resume() Effect {
	r.find.window.Files().Again()
	return r.goOn()
}
