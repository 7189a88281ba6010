package snapshot

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// FetchSegments fetches segments and passes the content of each to fn, in order, from the calling goroutine. It is
// ReadSegments without a step in between. fn owns the content.
func FetchSegments(ctx context.Context, store Store, segments []Segment, parallel int,
	fn func(i int, data []byte) error,
) error {
	same := func(_ int, data []byte) ([]byte, error) { return data, nil }
	return ReadSegments(ctx, store, segments, parallel, same, fn)
}

// ReadSegments fetches segments, passes each to read, and passes the result to take. Up to parallel goroutines fetch
// and read, a few segments ahead of the one at hand; take is called in order, from the calling goroutine. The content
// is checked against length and checksum in the manifest before read gets it. At most parallel segments are in memory
// besides the one that take works on. The first error ends it. All goroutines have ended when it returns.
func ReadSegments[T any](ctx context.Context, store Store, segments []Segment, parallel int,
	read func(i int, data []byte) (T, error), take func(i int, v T) error,
) error {
	ctx, cancel := context.WithCancel(ctx)
	var reads sync.WaitGroup
	defer reads.Wait()
	defer cancel()

	type result struct {
		value T
		err   error
	}
	parallel = max(1, min(parallel, len(segments)))
	ahead := make([]chan result, parallel) // a ring: segment i arrives in ahead[i%parallel], one at a time
	start := func(i int) {
		arrived := make(chan result, 1)
		ahead[i%parallel] = arrived
		reads.Go(func() {
			var r result
			var data []byte
			if data, r.err = FetchSegment(ctx, store, segments[i]); r.err == nil {
				r.value, r.err = read(i, data)
			}
			arrived <- r
		})
	}
	for i := range min(parallel, len(segments)) {
		start(i)
	}
	for i := range segments {
		got := <-ahead[i%parallel]
		if got.err != nil {
			return fmt.Errorf("fetch segment %d of %d: %w", i+1, len(segments), got.err)
		}
		if next := i + parallel; next < len(segments) {
			start(next)
		}
		if err := take(i, got.value); err != nil {
			return err
		}
	}
	return nil
}

// FetchSegment reads one segment and checks its content against length and checksum in the manifest.
func FetchSegment(ctx context.Context, store Store, s Segment) ([]byte, error) {
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
