package dedup

import (
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// Params say how files are read and signed.
type Params struct {
	Index    index.Params
	Workers  int  // goroutines that parse and sign
	Named    bool // several files are read, so a record without an id is called FILE:NUMBER
	Sketches bool // an Outcome has its Sketch
	Strict   bool // a document that is rejected is an error
	Texts    bool // an Outcome has the beginning of its Text
	Whole    bool // an Outcome has Raw even for a file that is one document
	Keep     bool // with Whole: if it is rejected, too
	Hashed   bool // an Outcome has its Sum
	Before   Resumed
	// called with each document that is passed over because it was judged before, and its number; nil is none
	Skipped func(number int64, r *corpus.Record)
	// called at intervals while documents are passed over that were judged before; nil is none
	Passing func()
	// after some documents, when each has its outcome; nil is none
	After func() error
}

// IndexParams say how documents are judged.
type IndexParams struct {
	Index index.Params // the window's bounds do not apply, as files have no time
	// canonical text of the settings that decide verdicts; a saved index is loaded only under the same
	Settings []byte
	Memory   setting.Bytes // bytes that the index may take
	// A document is compared with all before it, copies too, rather than with the unique ones, as far as that is needed to
	// find its cluster; wants duplicates.compare_copies: true. Documents of equal text are compared as one.
	All   bool
	Every bool // with All: a document has all its matches, with their similarities
	Pairs bool // with Every: those with documents of equal text as well, each by itself
}

// begun fixes the settings that are left open, as those of a saved index if there is one.
func (p *IndexParams) begun(saved []byte) (err error) {
	p.Index, err = p.Index.ForFiles(saved)
	p.Settings = p.Index.Written(p.Settings)
	return err
}
