package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"
	"time"
)

// series is a sequence of pairs on one broker with one way to verify.
type series struct {
	job    job
	verify string
	copies bareCopy
	filter filter
	pairs  int
	head   string // of the table of pairs
	row    func(p pair, name string) string
	out    io.Writer
}

// pair is two runs, one right after the other.
type pair struct {
	copy, filter result
	filterFirst  bool
}

func (p pair) first() string {
	if p.filterFirst {
		return "unecho"
	}
	return "copy"
}

func (p pair) ratio() float64 { return p.filter.rate() / p.copy.rate() }

// run measures the pairs one after another. In every second pair the copy runs first. The first pair only warms up.
func (s series) run(ctx context.Context) ([]pair, error) {
	var pairs []pair
	fmt.Fprintln(s.out, s.head)
	for n := range s.pairs + 1 {
		p, err := s.pair(ctx, n)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			fmt.Fprintln(s.out, s.row(p, "warm-up, not counted"))
			continue
		}
		fmt.Fprintln(s.out, s.row(p, fmt.Sprint(n)))
		pairs = append(pairs, p)
	}
	return pairs, nil
}

func (s series) pair(ctx context.Context, n int) (pair, error) {
	p := pair{filterFirst: n%2 == 1}
	both := []struct {
		name string
		who  contender
		to   *result
	}{{"copy", s.copies, &p.copy}, {s.verify, s.filter, &p.filter}}
	if p.filterFirst {
		both[0], both[1] = both[1], both[0]
	}
	for _, one := range both {
		var err error
		pprof.Do(ctx, pprof.Labels("contender", one.name), func(ctx context.Context) { // for -cpuprofile
			*one.to, err = single(ctx, s.job, one.who, fmt.Sprintf("%s-%s-%d", s.job.source, one.name, n))
		})
		if err != nil {
			return p, fmt.Errorf("%s: %w", one.name, err)
		}
	}
	return p, nil
}

// runBound is how long a run may take before it is ended.
const runBound = 5 * time.Minute

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
