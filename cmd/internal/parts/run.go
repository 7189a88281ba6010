package parts

import (
	"context"
	"errors"
	"fmt"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/text"
)

// Remover removes repeated parts.
type Remover struct {
	params  Params
	remover remover
	counted int64 // documents that were counted
}

// Stats are what a Remover has seen so far.
type Stats struct {
	Distinct int64 // parts that are remembered
	Bytes    int64 // what they take
}

// New builds a Remover that has met no part.
func New(p Params) (*Remover, error) {
	if p.Repeats < 2 || p.Bytes < 0 || p.Workers < 1 {
		return nil, errors.New("remove parts: a part is repeated from 2 on, and has no fewer than 0 bytes")
	}
	p.Text.MaxBytes = 0 // parts with a common front are not the same
	r := &Remover{params: p}
	r.remover.params, r.remover.table.memory = &r.params, p.Memory
	return r, nil
}

// Counts says whether documents are to be counted before parts are removed.
func (r *Remover) Counts() bool { return r.params.Repeats > 2 }

// Stats returns what was seen so far.
func (r *Remover) Stats() Stats {
	return Stats{Distinct: r.remover.table.count(), Bytes: r.remover.table.bytes()}
}

// Count counts the parts of all documents. each is called for each of them, which have no Outcome yet.
func (r *Remover) Count(ctx context.Context, in *corpus.Reader, each func()) error {
	err := r.run(ctx, in, func(j *job, d *taken) error {
		each()
		r.counted++
		return r.remover.count(j, d)
	})
	if err == nil && ctx.Err() == nil {
		r.remover.table.replaceCounts(uint32(r.params.Repeats)) // 2 and more
	}
	return err
}

// Remove removes repeated parts from all documents, and calls each with what became of each, in their order, from the
// calling goroutine. It ends with the first error, or when ctx is done. Where documents were counted before, it is an
// error if they are more or fewer now.
func (r *Remover) Remove(ctx context.Context, in *corpus.Reader, each func(*Outcome) error) error {
	read := int64(0)
	err := r.run(ctx, in, func(j *job, d *taken) error {
		if read++; r.Counts() && read > r.counted {
			return fmt.Errorf("%w: there were %s, and now there are more", errChanged, terminal.Several(int(r.counted), "document"))
		}
		o, err := r.remover.remove(j, d)
		if err != nil {
			return err
		}
		return each(o)
	})
	if err == nil && ctx.Err() == nil && r.Counts() && read < r.counted {
		return fmt.Errorf("%w: there were %s, and now there are %d", errChanged, terminal.Several(int(r.counted), "document"), read)
	}
	return err
}

var errChanged = errors.New("the files changed between their two readings; run it again when nothing writes them")

// run visits each document in its order.
func (r *Remover) run(ctx context.Context, in *corpus.Reader, visit func(*job, *taken) error) error {
	jobs := make([]*job, r.params.Workers*corpus.JobsEach)
	for i := range jobs {
		jobs[i] = &job{params: &r.params, normal: text.NewNormalizer(r.params.Text)}
	}
	return corpus.Work(ctx, in, r.params.Workers, jobs, false, func(j *job) error {
		visited := 0
		for ; visited < len(j.cases) && ctx.Err() == nil; visited++ {
			if err := visit(j, &j.cases[visited]); err != nil {
				return err
			}
		}
		if visited < len(j.cases) { // who cancelled knows why
			return nil
		}
		return j.err
	})
}
