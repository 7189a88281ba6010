package dedup

import (
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// job is a chunk on its way, with all that works on it. It is used again and again.
type job struct {
	chunk    corpus.Chunk
	parser   corpus.Parser
	signer   *index.Signer
	sketcher *index.Signer // nil where nobody asks for sketches
	whole    bool          // an Outcome has its Raw even if that is a file of its own
	named    bool          // several files are read: a number alone names no record

	items  []item
	done   signed // of the items that are not rejected
	names  []byte
	raw    []byte // of files that are a document each: their parser uses its memory again
	err    error
	signed chan struct{} // one token when the job is ready to be applied
}

// item is one record.
type item struct {
	name     []byte
	raw      []byte
	header   []byte
	length   int
	rejected *document.Rejection
}

// signed are documents that can be compared, in their order.
type signed struct {
	entries  []entry.Entry
	sketches [][]byte // none where nobody asked for them
}

// cut takes the first n documents off the front.
func (s *signed) cut(n int) signed {
	front := signed{entries: s.entries[:n]}
	s.entries = s.entries[n:]
	if len(s.sketches) > 0 {
		front.sketches, s.sketches = s.sketches[:n], s.sketches[n:]
	}
	return front
}

// sign parses and signs the chunk.
func (j *job) sign() {
	j.items, j.names, j.raw = j.items[:0], j.names[:0], j.raw[:0]
	j.done.entries, j.done.sketches = j.done.entries[:0], j.done.sketches[:0]
	j.signer.Reset()
	if j.sketcher != nil {
		j.sketcher.Reset()
	}
	j.err = j.parser.Each(&j.chunk, func(r *corpus.Record) bool {
		it := item{name: j.keepName(r), raw: r.Raw, header: r.Header, length: len(r.Text), rejected: r.Bad}
		if it.rejected == nil {
			it.rejected = j.entry(r, it.name)
		}
		if len(j.chunk.Files) > 0 {
			it.raw = j.keepRaw(&it)
		}
		j.items = append(j.items, it)
		return true
	})
	j.signed <- struct{}{}
}

// keepName keeps a record's name. When names grows, those cut from it before stay where they were.
func (j *job) keepName(r *corpus.Record) []byte {
	from := len(j.names)
	j.names = r.Name(j.names, j.named)
	return j.names[from:len(j.names):len(j.names)]
}

// keepRaw keeps the file that an item is, if anybody may ask for it.
func (j *job) keepRaw(it *item) []byte {
	if it.rejected != nil || !j.whole {
		return nil
	}
	from := len(j.raw)
	j.raw = append(j.raw, it.raw...)
	return j.raw[from:len(j.raw):len(j.raw)]
}

// entry signs a record and keeps its entry, or says why it has none.
func (j *job) entry(r *corpus.Record, name []byte) *document.Rejection {
	e := entry.Entry{Scope: r.Scope, ID: name}
	if !j.signer.Sign(&e, r.Text) {
		return &document.Rejection{Reason: sink.TooLarge, Detail: "the text is too long when normalised"}
	}
	if e.Empty() {
		if bad := j.chunk.EmptyRejection(); bad != nil {
			return bad
		}
	}
	j.done.entries = append(j.done.entries, e)
	if j.sketcher != nil {
		j.sketcher.Sign(&e, r.Text) // it was signed before, so it is short enough
		j.done.sketches = append(j.done.sketches, e.Evidence)
	}
	return nil
}
