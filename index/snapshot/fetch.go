package snapshot

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// FetchSegments reads segments with up to parallel reads ahead and hands each to fn, in order, from the calling
// goroutine. Content is held against length and checksum of the manifest. At most parallel segments are in memory besides
// the one fn works on; fn owns what it gets. The first error ends it, and all reads have ended on return.
func FetchSegments(ctx context.Context, store Store, segments []Segment, parallel int, fn func(i int, data []byte) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var reads sync.WaitGroup
	defer reads.Wait()
	defer cancel()

	type read struct {
		data []byte
		err  error
	}
	parallel = max(1, min(parallel, len(segments)))
	ahead := make([]chan read, parallel) // a ring: segment i arrives in ahead[i%parallel], one at a time
	start := func(i int) {
		arrived := make(chan read, 1)
		ahead[i%parallel] = arrived
		reads.Go(func() {
			data, err := fetchSegment(ctx, store, segments[i])
			arrived <- read{data, err}
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
		if err := fn(i, got.data); err != nil {
			return err
		}
	}
	return nil
}

func fetchSegment(ctx context.Context, store Store, s Segment) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := store.Segment(ctx, s.Name)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != s.Bytes || xxhash.Sum64(data) != s.Checksum {
		return nil, &CorruptError{Name: "segment " + s.Name, Err: errors.New("it is not the content that the manifest names")}
	}
	return data, nil
}
