package corpus

import (
	"context"
	"errors"
	"io"
)

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
