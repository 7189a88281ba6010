package dedup

import (
	"bytes"
	"errors"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/text"
	"github.com/unecho/unecho/sink"
)

// job is a chunk with everything that is needed to process it. It is reused.
type job struct {
	chunk    corpus.Chunk
	parser   corpus.Parser
	signer   *index.Signer
	sketcher *index.Signer // nil if sketches are not wanted
	params   *Params
	skip     int // records at the front of the chunk that are passed over

	header []byte // of the record that was hashed last
	below  uint64 // its hash

	outcomes []Outcome // of the records, without what the judge says
	done     signed    // of the outcomes that are not rejected
	names    []byte
	text     []byte // beginnings of texts, if they are wanted
	raw      []byte // content of files that are one document each, because their parser reuses its memory
	err      error
}

// signed holds the documents that can be compared, in their order.
type signed struct {
	entries  []entry.Entry
	sketches [][]byte // empty if they are not wanted
}

// cut removes the first n documents.
func (s *signed) cut(n int) signed {
	front := signed{entries: s.entries[:n]}
	s.entries = s.entries[n:]
	if len(s.sketches) > 0 {
		front.sketches, s.sketches = s.sketches[:n], s.sketches[n:]
	}
	return front
}

// Chunk implements corpus.Job.
func (j *job) Chunk() *corpus.Chunk { return &j.chunk }

// Work parses and signs the chunk.
func (j *job) Work() {
	j.outcomes, j.names, j.raw, j.text = j.outcomes[:0], j.names[:0], j.raw[:0], j.text[:0]
	j.done.entries, j.done.sketches = j.done.entries[:0], j.done.sketches[:0]
	j.signer.Reset()
	if j.sketcher != nil {
		j.sketcher.Reset()
	}
	var refused error
	j.err = j.parser.Each(&j.chunk, func(r *corpus.Record) bool {
		if j.skip > 0 {
			j.skip--
			return true
		}
		o := Outcome{
			File: r.File, Row: r.Number, Line: r.Line, Raw: r.Raw, Header: r.Header, Length: len(r.Text), Rejected: r.Bad,
		}
		j.names, o.Name = corpus.Kept(j.names, func(dst []byte) []byte { return r.Name(dst, j.params.Named) })
		if o.Rejected == nil {
			o.Rejected = j.entry(r, o.Name)
			o.ByBytes = o.Rejected == nil && j.signer.ByBytes()
			o.Short = o.Rejected == nil && j.signer.Short()
		}
		if o.Rejected != nil && j.params.Strict {
			refused = r.Refused(o.Rejected)
			return false
		}
		if j.params.Hashed {
			o.Sum = j.sum(r)
		}
		if len(j.chunk.Files) > 0 {
			o.Raw = j.keepRaw(&o)
		}
		if j.params.Texts && o.Rejected == nil {
			j.text, o.Text = corpus.Kept(j.text, func(dst []byte) []byte { return append(dst, text.Cut(r.Text, mostText)...) })
		}
		j.outcomes = append(j.outcomes, o)
		return true
	})
	j.err = errors.Join(j.err, refused)
}

// sum hashes a record: its bytes, and in a table its first line, which says what the columns are.
func (j *job) sum(r *corpus.Record) uint64 {
	if len(r.Header) == 0 {
		return xxhash.Sum64(r.Raw)
	}
	if !bytes.Equal(r.Header, j.header) {
		j.header, j.below = r.Header, xxhash.Sum64(r.Header)
	}
	both := Resumed{Front: j.below}
	both.Add(xxhash.Sum64(r.Raw))
	return both.Front
}

// keepRaw copies the file that is a document, if its content may be wanted.
func (j *job) keepRaw(o *Outcome) (own []byte) {
	if !j.params.Whole || o.Rejected != nil && !j.params.Keep {
		return nil
	}
	j.raw, own = corpus.Kept(j.raw, func(dst []byte) []byte { return append(dst, o.Raw...) })
	return own
}

// entry signs a record and keeps its entry, or says why there is none.
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
		j.sketcher.Sign(&e, r.Text) // it was signed before, so it is not too long
		j.done.sketches = append(j.done.sketches, e.Evidence)
	}
	return nil
}
