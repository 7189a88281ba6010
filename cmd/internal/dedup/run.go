package dedup

import (
	"bytes"
	"context"
	"errors"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/text"
	"github.com/unecho/unecho/sink"
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

// Run reads to the end, judges each document and calls each with its outcome, in the order of the documents, from the
// calling goroutine. It ends with the first error, or when ctx is done.
func Run(ctx context.Context, p Params, r *corpus.Reader, to Judge, each func(*Outcome) error) error {
	if x, ok := to.(*Index); ok {
		p.Index = x.Params() // with what was left open
	}
	jobs, err := newJobs(&p)
	if err != nil {
		return err
	}
	begun, err := begin(ctx, r, jobs[0])
	if err != nil {
		return err
	}
	return corpus.Work(ctx, r, p.Workers, jobs, begun, func(j *job) error {
		if err := outcomes(ctx, to, j, each); err != nil || ctx.Err() != nil || p.After == nil {
			return err
		}
		return p.After()
	})
}

// begin passes over documents that were judged before. begun says that the job has the rest of a chunk.
func begin(ctx context.Context, r *corpus.Reader, j *job) (begun bool, err error) {
	if j.params.Before.Documents == 0 {
		return false, nil
	}
	begun, err = j.skipJudged(ctx, r)
	if errors.Is(err, context.Canceled) { // who cancelled knows why
		return false, nil
	}
	return begun, err
}

func newJobs(p *Params) ([]*job, error) {
	jobs := make([]*job, p.Workers*corpus.JobsEach)
	for i := range jobs {
		signer, err := index.NewSigner(p.Index)
		if err != nil {
			return nil, err
		}
		jobs[i] = &job{signer: signer, params: p}
		if p.Sketches {
			if jobs[i].sketcher, err = newSketcher(p.Index); err != nil {
				return nil, err
			}
		}
	}
	return jobs, nil
}

// newSketcher builds a signer whose evidence is the sketch by which candidates are found.
func newSketcher(p index.Params) (*index.Signer, error) {
	banding, err := p.Duplicates.Banding()
	if err != nil {
		return nil, err
	}
	p.Duplicates.Bands, p.Duplicates.Rows = banding.Bands, banding.Rows
	p.Duplicates.Weighted = p.Duplicates.Repeated()
	p.Duplicates.Verify, p.Duplicates.Evidence = "estimate", "auto"
	return index.NewSigner(p)
}

// outcomes judges the documents of a job, as many at once as the judge accepts, until ctx is done. Offsets are the
// numbers of the documents; rejected ones leave gaps.
func outcomes(ctx context.Context, to Judge, j *job, each func(*Outcome) error) error {
	number, all, done := to.Next(), j.outcomes, j.done
	for len(all) > 0 && ctx.Err() == nil {
		n, entries := 0, 0
		for n < len(all) && entries < to.atOnce() {
			if all[n].Rejected == nil {
				done.entries[entries].Offset = number + int64(n)
				entries++
			}
			n++
		}
		if err := judgeSome(ctx, to, number, all[:n], done.cut(entries), each); err != nil {
			return err
		}
		number, all = number+int64(n), all[n:]
	}
	if len(all) == 0 {
		return j.err
	}
	return nil
}

// judgeSome judges documents, of which s are those that are not rejected.
func judgeSome(ctx context.Context, to Judge, number int64, some []Outcome, s signed, each func(*Outcome) error) error {
	var found *matches
	if len(s.entries) > 0 {
		var err error
		if found, err = to.apply(ctx, &s); err != nil {
			return err
		}
	}
	to.reach(number + int64(len(some)))
	next := 0
	for i := range some {
		o := &some[i]
		o.Number = number + int64(i)
		if o.Rejected == nil {
			o.Matches, o.Cut = found.of(next), found.cuts[next]
			if len(s.sketches) > 0 {
				o.Sketch = s.sketches[next]
			}
			next++
		}
		if err := each(o); err != nil {
			return err
		}
	}
	return nil
}

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
