package index

import (
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// Records of old documents may lie in files. The replica reads no file: it says what it wants, and is given bytes.
//
//	Unfiled   the segments that could lie in a file
//	File      a segment lies in a file now: its records leave memory
//	Files     the files that are needed still
//	Ahead     what a record will probably want, to be read at once; it may be left out
//	Wanted    what a call wants that ended early; of Apply the Effect says it
//	Give      it was read
//	Resume    Apply goes on; Inquire, Seek and Step are called again (Again)
//
// No verdict and no hash depends on where a record lies.

// Reshape has segments be sealed at this many documents or bytes from now on, so that a test has many small ones.
func (r *Replica) Reshape(documents, bytes int) { r.find.window.SealAt(documents, bytes) }

// Unfiled returns the sealed segments that lie in no file.
func (r *Replica) Unfiled() []window.View { return r.find.window.Unfiled() }

// File has the records of a segment leave memory, because it lies in a file. It returns false if the file is of no use any
// more.
func (r *Replica) File(f window.Filed) bool { return r.find.window.File(f) }

// Files returns the names of the files in which segments lie.
func (r *Replica) Files() map[string]bool { return r.find.window.Files() }

// Ahead has Wanted return what the entries of a record will probably be compared with. It may be given before Apply, in
// whole, in part or not at all.
func (r *Replica) Ahead(rec Record) {
	r.find.window.Again()
	of, ok := rec.(entries)
	if !ok {
		return
	}
	r.find.buckets.Want(of.size(), func(i int) *entry.Entry {
		if e := of.entry(i); e != nil && len(e.Keys) == r.keys {
			return e
		}
		return nil
	})
}

// Wanted returns what has to be given before a call that ended early can be made again: of Inquire, Seek or Step.
func (r *Replica) Wanted() []window.Want { return r.find.window.Wanted() }

// Again is called before each of these calls. What was given is kept until the next record is applied.
func (r *Replica) Again() { r.find.window.Again() }

// Done drops what was given for a call that ended. Apply does so itself.
func (r *Replica) Done() { r.find.window.Done() }

// Give gives what was wanted. The replica keeps data. The error is window.ErrDamaged if it is not what was written.
func (r *Replica) Give(to window.Want, data []byte) error { return r.find.window.Give(to, data) }

// Resume goes on with the record of which an effect wanted something. It returns what Apply does.
func (r *Replica) Resume() Effect {
	r.find.window.Again()
	return r.goOn()
}
