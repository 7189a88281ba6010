package dedup

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

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
	p.keepCheckpoints()
	p.noteSkipped()
	defer func() { err = errors.Join(err, p.share.close()) }()
	if err := p.beginPasses(of, query); err != nil {
		return errors.Join(p.explained(err), query.Reader.Close())
	}
	for {
		err = p.readShare(ctx, query)
		switch {
		case err != nil:
			return p.explained(p.Out.End(err))
		case ctx.Err() != nil && !p.Out.Begun():
			return errors.New("stopped after 0 documents; nothing is written")
		case ctx.Err() != nil || p.share.end < 0:
			return p.endPasses(ctx)
		}
		if err = p.nextShare(ctx, of); err == nil {
			query, err = of.Open()
		}
		if err != nil {
			return p.Out.End(err)
		}
	}
}

// beginPasses makes the first share, or that of the run that goes on.
func (p *Pass) beginPasses(of Passes, query *Input) error {
	if s, resumes := p.Checkpoint.resumed(); resumes {
		return p.resumePasses(of, s)
	}
	x, err := NewIndex(of.Index)
	if err != nil {
		return err
	}
	after, err := newEarlier(p.Checkpoint.matches(1))
	if err != nil {
		return err
	}
	p.pass = 1
	p.take(newShare(x, 0, nil, after))
	return p.estimate(p.Index, of.Index.Memory, query)
}

// take makes a share the one that is judged.
func (p *Pass) take(s *share) {
	p.share, p.index, p.Judge = s, s.Index, s
	p.Index = s.Params() // with what was left open
}

// nextShare ends a pass, and makes the share of the next. From here on the pass that ended is not needed any more.
func (p *Pass) nextShare(ctx context.Context, of Passes) error {
	old := p.share
	x, err := NewIndex(of.Index)
	if err != nil {
		return err
	}
	if p.Checkpoint != nil {
		if _, err := old.after.sync(); err != nil {
			return err
		}
	}
	after, err := newEarlier(p.Checkpoint.matches(p.pass + 1))
	if err != nil {
		return err
	}
	next := newShare(x, p.judged.Documents, old.after, after)
	err = old.before.close()
	old.before, old.after = nil, nil
	p.cuts.Add(old.Stats().Cuts)
	p.pass, p.read = p.pass+1, p.judged
	p.take(next)
	runtime.GC() // or the index of the pass that ended stays until there is as much again
	p.setGarbage()
	if err = errors.Join(err, next.before.begin()); err != nil || p.Checkpoint == nil {
		return err
	}
	return errors.Join(p.checkpoint(ctx), p.Checkpoint.removeMatches(p.pass))
}

func (p *Pass) endPasses(ctx context.Context) error {
	if err := p.Out.finish(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return p.stopped(ctx)
	}
	return errors.Join(p.share.close(), p.Checkpoint.remove())
}

// readShare reads the files once.
func (p *Pass) readShare(ctx context.Context, in *Input) error {
	told := p.share.end >= 0
	p.Before, p.collected = p.read, 0
	err := p.readFiles(ctx, in, func(o *Outcome, bar *terminal.Progress) error {
		if p.read.Add(o.Sum); p.pass > 1 && p.read.Documents > p.all.Documents {
			return p.changed(p.read)
		}
		if p.share.has(o.Number) {
			p.documents++
			p.judged.Add(o.Sum)
			return p.Out.add(o)
		}
		if !told {
			told = true
			bar.End()
			p.reportPass(o.Number, p.show(bar, in), in.Size)
		}
		return nil
	})
	switch {
	case err != nil || ctx.Err() != nil:
		return err
	case p.pass == 1:
		p.all = p.read
	case p.read != p.all:
		return p.changed(p.read)
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

// reportPass says that a share is full, and after the first how many there will be: each reads what those before it have
// read, and signs what is behind.
func (p *Pass) reportPass(documents, bytes, size int64) {
	more := ""
	if size > 0 && bytes > 0 {
		share := float64(bytes) / float64(p.pass)
		more = fmt.Sprintf("; by the bytes read so far there will be about %d passes", int(math.Ceil(float64(size)/share)))
	}
	fmt.Fprintf(p.Notes, "unecho: pass %d: the memory is full with %s, and those behind are compared with them%s\n", p.pass,
		terminal.Several(int(documents), "document"), more)
}
