package snapshot

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// FetchSegments fetches segments and passes the content of each to fn, in order, from the calling goroutine. Up to parallel
// goroutines fetch, a few segments ahead of the one at hand. The content is checked against length and checksum in the
// manifest. fn owns it. At most parallel segments are in memory besides the one that fn works on. The first error ends it.
// All goroutines have ended when it returns.
func FetchSegments(ctx context.Context, store Fetcher, segments []Segment, parallel int,
	fn func(i int, data []byte) error,
) error {
	read := func(ctx context.Context, i int) ([]byte, error) { return FetchSegment(ctx, store, segments[i]) }
	return readAhead(ctx, len(segments), parallel, read, fn)
}

// readAhead does what FetchSegments does with what read returns of each segment.
func readAhead[T any](ctx context.Context, segments, parallel int, read func(ctx context.Context, i int) (T, error),
	take func(i int, v T) error,
) error {
	ctx, cancel := context.WithCancel(ctx)
	var reads sync.WaitGroup
	defer reads.Wait()
	defer cancel()

	type result struct {
		value T
		err   error
	}
	parallel = max(1, min(parallel, segments))
	ahead := make([]chan result, parallel) // a ring: segment i arrives in ahead[i%parallel], one at a time
	start := func(i int) {
		arrived := make(chan result, 1)
		ahead[i%parallel] = arrived
		reads.Go(func() {
			var r result
			r.value, r.err = read(ctx, i)
			arrived <- r
		})
	}
	for i := range min(parallel, segments) {
		start(i)
	}
	for i := range segments {
		got := <-ahead[i%parallel]
		if got.err != nil {
			return fmt.Errorf("fetch segment %d of %d: %w", i+1, segments, got.err)
		}
		if next := i + parallel; next < segments {
			start(next)
		}
		if err := take(i, got.value); err != nil {
			return err
		}
	}
	return nil
}

// FetchSegment reads one segment and checks its content against length and checksum in the manifest.
func FetchSegment(ctx context.Context, store Fetcher, s Segment) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := store.Segment(ctx, s.Name)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != s.Bytes || xxhash.Sum64(data) != s.Checksum {
		return nil, &CorruptError{
			Name: "segment " + s.Name, Offset: -1,
			Err: errors.New("it is not the content that the manifest names"),
		}
	}
	return data, nil
}
