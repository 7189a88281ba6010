package dedup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
)

// Input are files that are read one after another.
type Input struct {
	Reader *corpus.Reader
	Size   int64 // bytes of all of them; -1 if unknown
	// to estimate what there is to do; no Files if that cannot be known
	Files  []corpus.Source
	Params corpus.Params
	Named  bool // as in Params of the Pass
}

// Pass is one run over files: first those of an index, if there is one, then those that are judged.
type Pass struct {
	Params
	Judge     Judge
	Out       *Outputs
	Notes     io.Writer // for progress
	Quiet     bool      // progress is not shown
	SaveIndex string    // where the index is written at the end; empty: nowhere
	// where the pass goes on after it was stopped; nil: nowhere. Judge is its Index, and Out is Resumable
	Checkpoint *Checkpoint

	judged    Resumed    // documents so far, if there is a Checkpoint
	cuts      index.Cuts // of the run that goes on
	index     *Index     // the same as Judge, if it is one
	bar       *terminal.Progress
	documents int64 // read so far
	collected int64 // bytes that were read when the collector was set last
}

// Run reads everything and writes the outputs. If old is nil there is no index; if query is nil nothing is judged. When
// ctx is done, it writes what was judged so far, and returns an error that says so.
func (p *Pass) Run(ctx context.Context, old, query *Input) error {
	if p.index, _ = p.Judge.(*Index); p.index != nil {
		p.Out.places, p.index.begins = p.index.places, p.reportFiles
	}
	if _, resumes := p.Checkpoint.resumed(); p.index != nil && !resumes {
		if err := p.estimate(p.index.Params(), p.index.params.Memory, old, query); err != nil {
			return err
		}
	}
	return p.explained(p.judgeAll(ctx, old, query))
}

func (p *Pass) judgeAll(ctx context.Context, old, query *Input) error {
	if old != nil {
		if p.index != nil {
			p.index.beginIndex()
		}
		if err := p.readAll(ctx, old, p.Out.remember); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errUnread
		}
		if read := p.Judge.Next(); read > 0 && p.Out.usable == 0 {
			return fmt.Errorf("all %s rejected of the index: there is nothing to compare with", were(int(read), "document"))
		}
		p.Judge.Begin()
	}
	p.Out.judge(p.Judge.First())
	if err := p.resume(); err != nil {
		return err
	}
	if err := p.judgeQuery(ctx, query); err != nil {
		return p.Out.End(err)
	}
	if ctx.Err() != nil && !p.Out.Begun() {
		return errors.New("stopped after 0 documents; nothing is written")
	}
	if err := p.Out.finish(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return p.stopped(ctx)
	}
	if p.SaveIndex != "" {
		if err := p.index.saveFile(ctx, p.SaveIndex, &p.Out.places); err != nil {
			return err
		}
	}
	return p.Checkpoint.remove()
}

// stopped takes a last checkpoint, and returns an error that says what the outputs hold.
func (p *Pass) stopped(ctx context.Context) error {
	documents := terminal.Several(int(p.Out.counts.Documents), "document")
	if p.Checkpoint == nil {
		return fmt.Errorf("stopped after %s; the outputs hold what was judged so far", documents)
	}
	if err := p.checkpoint(ctx); err != nil {
		return fmt.Errorf("stopped after %s: %w", documents, err)
	}
	return fmt.Errorf("stopped after %s; the outputs hold what was judged so far, and the same command goes on from there", documents)
}

// resume goes on where the checkpoint was taken, if there is one.
func (p *Pass) resume() error {
	if p.Checkpoint == nil {
		return nil
	}
	p.Hashed = true
	p.keepCheckpoints()
	var name []byte
	p.Skipped = func(number int64, r *corpus.Record) { // it is noted where documents are that were judged before
		name = r.Name(name[:0], p.Named)
		p.Out.note(number, name, r.File, r.Number)
	}
	s, resumes := p.Checkpoint.resumed()
	if !resumes {
		return nil
	}
	p.judged = Resumed{s.Documents, s.Front}
	p.Before, p.cuts = p.judged, s.Cuts
	return p.Out.resume(s)
}

// keepCheckpoints has checkpoints taken when they are due.
func (p *Pass) keepCheckpoints() {
	p.After = func() error {
		if !p.Checkpoint.due() {
			return nil
		}
		return p.checkpoint(context.Background())
	}
}

// reportFiles says that old documents begin to lie in files, which takes a while the first time.
func (p *Pass) reportFiles() {
	p.bar.End()
	fmt.Fprintf(p.Notes, "unecho: the memory is full with %s: old ones lie in files from now on\n",
		terminal.Several(p.index.Stats().Documents, "document"))
}

// checkpoint takes one, unless it would be that which there is.
func (p *Pass) checkpoint(ctx context.Context) error {
	if p.judged.Documents == p.Checkpoint.saved || p.judged.Documents == 0 {
		return nil
	}
	if p.judged.Documents != p.index.Next() {
		return fmt.Errorf("write a checkpoint: %d documents were judged, and %d written: this is a bug", p.index.Next(), p.judged.Documents)
	}
	return p.Checkpoint.save(ctx, p.index, p.Out, checkpointState{
		Version: checkpointVersion, Documents: p.judged.Documents, Front: p.judged.Front,
		Cuts: p.allCuts(), Window: p.index.Stats().WindowBytes,
	})
}

func (p *Pass) judgeQuery(ctx context.Context, query *Input) (err error) {
	if query != nil {
		err = p.readAll(ctx, query, p.Out.add)
	}
	if pairs, ok := p.Judge.(*EachPair); ok && err == nil && ctx.Err() == nil {
		err = p.compareEach(ctx, pairs)
	}
	return err
}

func (p *Pass) compareEach(ctx context.Context, pairs *EachPair) error {
	bar := terminal.NewStages(p.Notes)
	bar.Hidden = p.Quiet
	defer bar.End()
	cost, err := pairs.Cost(p.Workers)
	if err != nil {
		return err
	}
	cost.print(p.Notes, p.Workers)
	progress := func(done, all int64) { bar.Stage("comparing each sketch with each", done, all) }
	err = pairs.Finish(ctx, p.Workers, progress, p.Out.match)
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped before all documents were compared: which of them are unique is not known")
	}
	return err
}

// readAll judges the documents of files, and shows how far that is.
func (p *Pass) readAll(ctx context.Context, in *Input, each func(*Outcome) error) (err error) {
	defer func() { err = errors.Join(err, in.Reader.Close()) }()
	bar := terminal.NewProgress(p.Notes, in.Size)
	bar.Hidden, p.bar = p.Quiet, bar
	defer bar.End()
	p.Passing = func() { p.show(bar, in) }
	return Run(ctx, p.Params, in.Reader, p.Judge, func(o *Outcome) error {
		bar.Documents++
		if bytes := p.show(bar, in); bar.Documents%garbageDocuments == 0 || bytes-p.collected >= garbageBytes {
			p.collected = bytes
			p.setGarbage()
		}
		p.documents++
		if p.Hashed {
			p.judged.Add(o.Sum)
		}
		return each(o)
	})
}

// show shows how far reading is, and returns the bytes read.
func (*Pass) show(bar *terminal.Progress, in *Input) int64 {
	bytes, files := in.Reader.Read()
	bar.Files = files
	bar.At(bytes)
	return bytes
}

// The collector is set again after so many documents, or bytes of them: the index grows by some megabytes meanwhile.
const (
	garbageDocuments = 1 << 12
	garbageBytes     = 4 << 20
)

func (p *Pass) setGarbage() {
	size := int64(0)
	if p.index != nil {
		size = p.index.Stats().Memory
	}
	memory.SetGarbage(size)
}

// explained adds the remedy to an error.
func (p *Pass) explained(err error) error {
	again := "run it anew"
	if p.Checkpoint.stands() {
		again = "the same command goes on from the last checkpoint"
	}
	switch err = files.Mend(err, again); {
	case errors.Is(err, errChanged):
		return fmt.Errorf("go on: %w; begin anew with an empty directory for --checkpoint", err)
	case !errors.Is(err, ErrMemory):
		return err
	case p.index == nil:
		return fmt.Errorf("%w: raise --memory, or lower --distance", err)
	case p.index.params.Directory != nil:
		return fmt.Errorf("%w, though old documents lie in files: raise --memory, and %s", err, again)
	case p.Checkpoint != nil:
		return fmt.Errorf("%w: raise --memory or add --directory, and it goes on from the last checkpoint", err)
	}
	return fmt.Errorf("%w: raise --memory, add --directory, or keep less of each document by --verify estimate; a stream without "+
		"end is for `unecho run`", err)
}

// Rejected returns an error if all documents were rejected.
func (p *Pass) Rejected() error {
	c := p.Out.counts
	if c.Documents == 0 || c.Rejected < c.Documents {
		return nil
	}
	return fmt.Errorf("all %s rejected: see why by --rejected -", were(int(c.Documents), "document"))
}

// allCuts counts what was cut so far, by the bounds.
func (p *Pass) allCuts() index.Cuts {
	all := p.cuts
	all.Add(p.index.Stats().Cuts)
	return all
}

// Summary returns the result of the pass. took is the time since the start of the program.
func (p *Pass) Summary(took time.Duration) Summary {
	s := NewSummary(p.Out.counts, p.Judge.First(), p.documents, took)
	s.Algorithm = p.Index.Algorithm()
	if s.Doubtful > 0 {
		s.Doubt = p.Out.params.Similarity.Doubt()
	}
	if p.index != nil {
		s.Bounds = p.allCuts().Hit()
	}
	if p.index == nil || p.index.chains == nil {
		s.Cut = 0
	}
	_, s.EachPair = p.Judge.(*EachPair)
	return s
}
