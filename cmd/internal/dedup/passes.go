package dedup

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

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

// passState is where a run in several passes is: in which, and how far. Matches that its documents have in earlier passes
// are in a file of the checkpoint's directory, and those of the documents behind its share in another one.
type passState struct {
	Pass   int     `json:"pass"` // from 1
	Begins int64   `json:"begins"`
	Read   Resumed `json:"read"` // documents that were judged, or compared with them
	Full   bool    `json:"full"` // the share has ended where judging has
	All    Resumed `json:"all"`  // all documents, from the second pass on
	Before int64   `json:"before"`
	After  int64   `json:"after"` // lengths of the files
}

// begun says whether the pass has an index.
func (s *passState) begun() bool { return s.Read.Documents > s.Begins }

// matchesName is what the names of files with matches begin with. The number of the pass that writes it follows.
const matchesName = "dedup.matches-"

// matches returns the file that a pass writes; empty if it is a temporary one.
func (c *Checkpoint) matches(pass int) string {
	if c == nil {
		return ""
	}
	return filepath.Join(filepath.Dir(c.path), matchesName+strconv.Itoa(pass))
}

// removeMatches removes the files that a pass does not need: all if it is none.
func (c *Checkpoint) removeMatches(pass int) error {
	files, err := os.ReadDir(filepath.Dir(c.path))
	if err != nil {
		return fmt.Errorf("--checkpoint: %w", err)
	}
	for _, f := range files {
		number, matches := strings.CutPrefix(f.Name(), matchesName)
		n, wrong := strconv.Atoi(number)
		if needed := pass > 0 && (n == pass || n == pass-1); matches && wrong == nil && !needed && f.Type().IsRegular() {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(c.path), f.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("--checkpoint: %w", err)
	}
	return nil
}

// checkpoint takes one, unless it would be that which there is.
func (p *Pass) checkpoint(ctx context.Context) error {
	at := progress{documents: p.judged.Documents}
	if p.inPasses {
		at = progress{p.pass, p.read.Documents}
	}
	if at == p.Checkpoint.saved || at.documents == 0 {
		return nil
	}
	s := checkpointState{
		Version: checkpointVersion, Documents: p.judged.Documents, Front: p.judged.Front,
		Cuts: p.allCuts(), Window: p.index.Stats().WindowBytes,
	}
	x := p.index
	if p.inPasses {
		after, err := p.share.after.sync()
		if err != nil {
			return err
		}
		s.Passes = &passState{
			Pass: p.pass, Begins: p.share.begins, Read: p.read, Full: p.share.end >= 0, All: p.all, Before: p.share.before.len(), After: after,
		}
		if !s.Passes.begun() {
			x = nil
		}
	}
	if at.documents != p.index.Next() {
		return fmt.Errorf("write a checkpoint: %d documents were judged, and %d written: this is a bug", p.index.Next(), at.documents)
	}
	return p.Checkpoint.save(ctx, x, p.Out, s, at)
}

// resumePasses makes the share of the run that goes on. One that was stopped before it needed passes is in the first.
func (p *Pass) resumePasses(of Passes, s *checkpointState) error {
	now := s.Passes
	p.judged = Resumed{s.Documents, s.Front}
	if now == nil {
		now = &passState{Pass: 1, Read: p.judged}
	}
	p.pass, p.read, p.all, p.cuts = now.Pass, now.Read, now.All, s.Cuts
	x, err := p.Checkpoint.Index(of.Index)
	if err != nil {
		return err
	}
	share := newShare(x, now.Begins, nil, nil)
	x.reach(now.Read.Documents)
	p.take(share)
	if now.Full {
		share.end = p.judged.Documents
	}
	if now.Pass > 1 {
		if share.before, err = openEarlier(p.Checkpoint.matches(now.Pass-1), now.Before); err == nil {
			err = share.before.begin()
		}
	}
	switch path := p.Checkpoint.matches(now.Pass); {
	case err != nil:
	case now.After > 0:
		share.after, err = openEarlier(path, now.After)
	default:
		share.after, err = newEarlier(path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("go on from %s: %w: remove it to begin anew", p.Checkpoint.path, err), share.close())
	}
	if err := p.Out.resume(s); err != nil {
		return errors.Join(err, share.close())
	}
	return nil
}
