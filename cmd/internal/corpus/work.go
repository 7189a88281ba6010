package corpus

import (
	"context"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"
)

// Job works on the documents of a chunk.
type Job interface {
	Chunk() *Chunk
	Work() // on the documents of the chunk
}

// JobsEach is how many jobs there are for each worker: one in work, one ready, one waiting for its turn.
const JobsEach = 3

// Kept appends to memory that a job uses again for each chunk. It returns the memory, and what was appended, which stays valid
// when the memory grows.
func Kept(memory []byte, add func(dst []byte) []byte) (all, added []byte) {
	from := len(memory)
	memory = add(memory)
	return memory, memory[from:len(memory):len(memory)]
}

// turn is a job, and when it is ready.
type turn[J Job] struct {
	job   J
	ready chan struct{} // one token when it is
}

// Work reads a file after another. Jobs get chunks, as many goroutines as there are workers work on them, and take is called
// with each job in the order of the chunks, from the calling goroutine; then the job gets the next chunk. begun says that the
// first job has one already. It ends with the first error, or when ctx is done.
func Work[J Job](ctx context.Context, r *Reader, workers int, jobs []J, begun bool, take func(J) error) error {
	todo, ordered := make(chan turn[J], len(jobs)), make(chan turn[J], len(jobs)) // never more than there are jobs
	free := make(chan turn[J], len(jobs))
	for i, job := range jobs {
		t := turn[J]{job, make(chan struct{}, 1)}
		if i == 0 && begun {
			todo <- t
			ordered <- t
			continue
		}
		free <- t
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group errgroup.Group
	group.Go(func() error {
		defer close(todo)
		defer close(ordered)
		return deal(ctx, r, free, todo, ordered)
	})
	for range workers {
		group.Go(func() error {
			for t := range todo {
				t.job.Work()
				t.ready <- struct{}{}
			}
			return nil
		})
	}
	err := takeAll(ctx, ordered, free, take)
	stopped := ctx.Err() != nil
	stop() // after an error the reader would go on
	if err = errors.Join(err, group.Wait()); err != nil || stopped {
		return err
	}
	return r.Check()
}

// deal gives each chunk to the workers, and in its order to who takes it.
func deal[J Job](ctx context.Context, r *Reader, free <-chan turn[J], todo, ordered chan<- turn[J]) error {
	for {
		select {
		case <-ctx.Done():
			return nil // who cancelled knows why
		case t := <-free:
			err := r.Next(ctx, t.job.Chunk())
			if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) { // who cancelled knows why
				return nil
			}
			if err != nil {
				return err
			}
			todo <- t
			ordered <- t
		}
	}
}

func takeAll[J Job](ctx context.Context, ordered <-chan turn[J], free chan<- turn[J], take func(J) error) error {
	for t := range ordered {
		<-t.ready
		if err := take(t.job); err != nil || ctx.Err() != nil {
			return err
		}
		free <- t
	}
	return nil
}

// Each reads to the end and calls visit for each record, in the calling goroutine. It ends with visit's first error, or
// with ctx's when ctx is done.
func Each(ctx context.Context, r *Reader, visit func(*Record) error) error {
	var (
		chunk  Chunk
		parser Parser
	)
	for {
		if err := r.Next(ctx, &chunk); errors.Is(err, io.EOF) {
			return r.Check()
		} else if err != nil {
			return err
		}
		var stopped error
		err := parser.Each(&chunk, func(r *Record) bool {
			if stopped = ctx.Err(); stopped == nil {
				stopped = visit(r)
			}
			return stopped == nil
		})
		if err := errors.Join(err, stopped); err != nil {
			return err
		}
	}
}
