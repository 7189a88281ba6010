package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"
)

// runBound is how long a run may take before it is ended.
const runBound = 15 * time.Minute

func single(ctx context.Context, j job, who contender, group string) (result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, runBound, fmt.Errorf("it did not end within %s", runBound))
	defer cancel()
	runtime.GC() // so that this run does not pay for what the last one left
	return j.stream.run(ctx, j, who, group)
}

// tune tries the copy with several sizes of batches and fetches and with a linger time, twice each, and returns the
// fastest.
func tune(ctx context.Context, j job, like bareCopy, out io.Writer) (bareCopy, error) {
	var best bareCopy
	fastest := 0.0
	for n, c := range []bareCopy{
		like, // the first one warms up
		like,
		{poll: 2000, fetch: 1 << 20},
		{poll: 5000, fetch: 1 << 20},
		{poll: 10_000, fetch: 4 << 20},
		{poll: 10_000, fetch: 8 << 20},
		{poll: 5000, fetch: 4 << 20, linger: 5 * time.Millisecond},
	} {
		rate := 0.0
		for k := range 2 {
			r, err := single(ctx, j, c, fmt.Sprintf("%s-tune-%d-%d", j.source, n, k))
			if err != nil {
				return best, fmt.Errorf("tune the copy: %w", err)
			}
			rate = max(rate, r.rate())
		}
		if n == 0 {
			continue
		}
		fmt.Fprintf(out, "copy with %s: %s documents/s\n", c, thousands(rate))
		if rate > fastest {
			best, fastest = c, rate
		}
	}
	fmt.Fprintf(out, "the copy is measured with %s\n", best)
	return best, nil
}
