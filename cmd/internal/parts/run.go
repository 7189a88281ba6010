package parts

import (
	"context"
	"errors"
	"fmt"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/text"
)

// Count counts the parts of all documents. each is called for each of them, which have no Outcome yet.
func (r *Remover) Count(ctx context.Context, in *corpus.Reader, each func()) error {
	err := r.run(ctx, in, func(j *job, d *taken) error {
		each()
		r.counted++
		return r.count(j, d)
	})
	if err == nil && ctx.Err() == nil {
		r.table.replaceCounts(uint32(r.params.Repeats)) // 2 and more
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
		o, err := r.remove(j, d)
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
