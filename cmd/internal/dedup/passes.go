package dedup

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Passes say how a pass is repeated for documents that do not fit into memory together.
type Passes struct {
	Index IndexParams
	Open  func() (*Input, error) // the same files again
}

// RunPasses does what Run does without an index, in as many passes as the memory asks for: each judges the documents of
// its share, and compares all behind them with it. Outputs are written in the order of the documents, once.
func (p *Pass) RunPasses(ctx context.Context, query *Input, of Passes) (err error) {
	p.Out.judge(0)
	p.Hashed, p.inPasses = true, true
	var before *earlier
	defer func() { err = errors.Join(err, before.close()) }()
	for n := 1; ; n++ {
		begins := p.judged.Documents
		s, err := newShare(of.Index, begins, before)
		if err != nil {
			return errors.Join(err, query.Reader.Close())
		}
		p.index, p.Judge, p.Before = s.Index, s.Index, p.judged
		p.Index = s.Params() // with what was left open
		if n == 1 {
			err = p.estimate(p.Index, of.Index.Memory, query)
		}
		if err == nil {
			err = p.readShare(ctx, query, s, n)
		}
		p.uniqueCut += s.Stats().UniqueCut
		if err = errors.Join(err, before.close()); err == nil {
			err = s.after.rewind()
		}
		before = s.after
		switch {
		case err != nil:
			return p.explained(p.Out.files.End(err))
		case ctx.Err() != nil && !p.Out.files.Begun():
			return errors.New("stopped after 0 documents; nothing is written")
		case ctx.Err() != nil || s.end < 0:
			return p.endPasses(ctx)
		}
		if query, err = of.Open(); err != nil {
			return p.Out.files.End(err)
		}
	}
}

func (p *Pass) endPasses(ctx context.Context) error {
	if err := p.Out.finish(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return p.stopped(ctx)
	}
	return nil
}

// readShare reads the files once.
func (p *Pass) readShare(ctx context.Context, in *Input, s *share, pass int) (err error) {
	defer func() { err = errors.Join(err, in.Reader.Close()) }()
	bar := terminal.NewProgress(p.Notes, in.Size)
	bar.Hidden = p.Quiet
	defer bar.End()
	told := false
	p.Passing = func() { p.show(bar, in) }
	now := p.Before
	err = Run(ctx, p.Params, in.Reader, s, func(o *Outcome) error {
		bar.Documents++
		if now.Add(o.Sum); pass > 1 && now.Documents > p.all.Documents {
			return p.changed(now)
		}
		bytes := p.show(bar, in)
		if bar.Documents%garbageDocuments == 0 {
			p.setGarbage()
		}
		if s.has(o.Number) {
			p.documents++
			p.judged.Add(o.Sum)
			return p.Out.add(o)
		}
		if !told {
			told = true
			bar.End()
			p.tellPass(pass, o.Number, bytes, in.Size)
		}
		return nil
	})
	switch {
	case err != nil || ctx.Err() != nil:
		return err
	case pass == 1:
		p.all = now
	case now != p.all:
		return p.changed(now)
	}
	return nil
}

// changed says that a pass reads other documents than the first.
func (p *Pass) changed(now Resumed) error {
	was := were(int(p.all.Documents), "document")
	switch {
	case now.Documents > p.all.Documents:
		return fmt.Errorf("%s read in the first pass, and now there are more: %w", was, errChanged)
	case now.Documents < p.all.Documents:
		return fmt.Errorf("%s read in the first pass, and now there are %d: %w", was, now.Documents, errChanged)
	}
	return fmt.Errorf("%s read in the first pass, and now some of them are others: %w", was, errChanged)
}

// tellPass says that a share is full, and after the first how many there will be: each reads what those before it have
// read, and signs what is behind.
func (p *Pass) tellPass(pass int, documents, bytes, size int64) {
	more := ""
	if size > 0 && bytes > 0 {
		share := float64(bytes) / float64(pass)
		more = fmt.Sprintf("; by the bytes read so far there will be about %d passes", int(math.Ceil(float64(size)/share)))
	}
	fmt.Fprintf(p.Notes, "unecho: pass %d: the memory is full with %s, and those behind are compared with them%s\n", pass,
		terminal.Several(int(documents), "document"), more)
}
