package unpack

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
)

// A client drops what it has fetched of a partition that is paused, says that it was polled, and fetches it again.
// However often that is so, nothing counts as held in the end, and all of the partition comes.
func TestPausedPartitionsTakeNoRoom(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{"all at once": 0, "some at a time": 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tryPaused(t, most)
		})
	}
}

func tryPaused(t *testing.T, most int) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	const batches, records = 4, 100
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	like, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer like.Close()
	for i := range batches {
		if _, err := unpacktest.Drop(ctx, like, "t", 0, zeros(t, records, 2000+i, kgo.CodecZstd)); err != nil {
			t.Fatal(err)
		}
	}
	// room for all of the partition, and a little more
	u, came := New(Limits{Batch: 1 << 20, Held: 1 << 20}), make(fetched, 1)
	client, err := kgo.NewClient(append(append(like.Opts(), u.Options(like)...), kgo.WithHooks(came),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"t": {0: kgo.NewOffset().AtStart()}}))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	all := map[string][]int32{"t": {0}}
	poll := func() int { return pollInto(ctx, t, client, u, most) }
	for range 5 {
		select {
		case <-came:
		case <-ctx.Done():
			t.Fatalf("nothing is fetched any more, and %d bytes are held", u.Held())
		}
		client.PauseFetchPartitions(all)
		for again := true; again; again = client.BufferedFetchRecords() > 0 {
			if n := poll(); n > 0 {
				t.Fatalf("%d records of a paused partition came", n)
			}
		}
		client.ResumeFetchPartitions(all)
	}
	for n := 0; n < batches*records; n += poll() {
		if ctx.Err() != nil {
			t.Fatalf("%d records came, and %d bytes are held", n, u.Held())
		}
	}
	if u.Held() > 0 {
		t.Errorf("%d bytes are held of nothing", u.Held())
	}
}

// pollInto polls once, gives back what came, and returns how many records these were.
func pollInto(ctx context.Context, t *testing.T, client *kgo.Client, u *Unpacker, most int) int {
	t.Helper()
	wait, stop := context.WithTimeout(ctx, 20*time.Millisecond)
	defer stop()
	fetches := client.PollRecords(wait, most)
	u.Polled(fetches)
	fetches.EachError(func(_ string, _ int32, err error) {
		if !errors.Is(err, ErrLater) && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	})
	u.Done(fetches)
	return fetches.NumRecords()
}

// fetched tells that a client has fetched records.
type fetched chan struct{}

// OnFetchRecordBuffered implements kgo.HookFetchRecordBuffered.
func (f fetched) OnFetchRecordBuffered(*kgo.Record) {
	select {
	case f <- struct{}{}:
	default:
	}
}
