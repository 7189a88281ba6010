package dedup

import (
	"context"
	"errors"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/index"
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
