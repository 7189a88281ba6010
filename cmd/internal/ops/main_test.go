package ops

import (
	"bytes"
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/gateway"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/sink"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// full returns stats in which every figure differs from every other.
func full() consumer.Stats {
	latency := func(sum float64, counts ...uint64) consumer.Histogram {
		h := consumer.Histogram{Bounds: []float64{0.01, 0.1, 1}[:len(counts)-1], Counts: counts, Sum: sum}
		for _, n := range counts {
			h.Count += n
		}
		return h
	}
	s := consumer.Stats{
		Unique: 700, Reemitted: 9, ByBytes: 4, Duplicate: 300, Rejected: map[sink.Reason]uint64{}, UncheckedBy: map[sink.UncheckedReason]uint64{}, Commits: 11, Rebuilds: 2,
		Topics: []consumer.Verdicts{
			{Topic: "news", Unique: 600, Duplicate: 290, Rejected: 20, Unchecked: 4},
			{Topic: "mail", Unique: 100, Duplicate: 10, Rejected: 8},
		},
		Similarity: latency(280.5, 1, 2, 300), Delay: latency(1234.5, 15, 16, 997),
		Latency: consumer.Latency{
			Sign: latency(0.5, 10, 1, 0, 0), Judge: latency(2.25, 1, 4, 6, 0),
			Forward: latency(9.75, 0, 3, 7, 1),
		},
		Gateway: gateway.Stats{
			Open: true, Requests: []uint64{81, 82, 83, 84, 85, 86, 87}, Documents: 91, Repeated: 92, Bytes: 93_000,
			Verdict: latency(4.5, 30, 40, 11, 0),
		},
		Journal: journal.Stats{Records: 44, Bytes: 55_000}, JournalRead: journal.Stats{Records: 10, Bytes: 12_000},
		JournalNext: 4100, JournalEnd: 4123, ClockAhead: 1500 * time.Millisecond, ClockKnown: true, AppliedTime: 1_700_000_000_250,
		JournalStart: 3700, StartTime: 1_699_998_000_000, ConfirmedTime: 1_699_999_960_000,
		Bounds: consumer.WindowLimits{Age: 24 * time.Hour, Documents: 5000, Bytes: 1 << 30},
		Index: index.Stats{
			Candidates: 1234, Full: 5, Unverified: 6, UniqueCut: 7, Doubtful: 8, Dropped: 4321, Work: 65_432, Moved: 789, MostMoved: 42,
			Documents: 680, Memory: 123_000, WindowBytes: 99_000, OldestApplied: 1_699_999_000_000,
			Now: 1_700_000_000_500, Held: 23, Filed: 512, FileBytes: 880_000,
			Blocks: window.BlockStats{Count: 13, Documents: 384, Bytes: 220_000, Memory: 14_000, Uncovered: 19},
		},
		GroupLags: []consumer.PartitionLag{{PartitionName: entry.Name("news", 0), Documents: 1}},
		Lags: []consumer.PartitionLag{
			{PartitionName: entry.Name("mail", 1), Documents: 70, Seconds: 12.5},
			{PartitionName: entry.Name("news", 0), Documents: 7, Seconds: -1},
		},
		SourceLag: 77, Leaderless: 3, Partitions: 4, Standing: consumer.Standing{InARow: 6}, SnapshotNext: 4000,
		SnapshotTime: 1_699_999_940_000, SnapshotErrs: 3, TrimErrs: 2, Ready: true,
		FileReads: 610, FileReadBytes: 2_498_560, FileLate: 18, FileErrs: 12, FileWait: 1250 * time.Millisecond,
	}
	for i, r := range sink.Reasons() {
		s.Rejected[r] = uint64(i + 1)
	}
	for i, r := range sink.UncheckedReasons() {
		s.UncheckedBy[r] = uint64(i + 1)
	}
	return s
}

// fresh returns the stats of a service that has reached nothing yet.
func fresh() consumer.Stats {
	return consumer.Stats{JournalNext: -1, JournalEnd: -1, JournalStart: -1, SourceLag: -1, SnapshotNext: -1}
}

func statsOf(s consumer.Stats) func() consumer.Stats { return func() consumer.Stats { return s } }

func isReady(ready bool) func() bool { return func() bool { return ready } }

type running struct {
	*Server
	stop context.CancelFunc
	done chan error
}

func start(t *testing.T, stats func() consumer.Stats, ready func() bool) *running {
	t.Helper()
	return startWith(t, Setup{
		Stats: stats, Ready: ready, Version: "v1.2.3",
		Logger: zerolog.New(zerolog.NewTestWriter(t)),
	})
}

func startWith(t *testing.T, setup Setup) *running {
	t.Helper()
	s := New("127.0.0.1:0", setup)
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Server: s, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := r.ended(); err != nil {
			t.Error(err)
		}
	})
	if s.Addr() == "" {
		t.Fatal("it does not listen")
	}
	return r
}

// ended waits until Serve has returned. It may be called more than once.
func (r *running) ended() error {
	err := <-r.done
	r.done <- err
	return err
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; go test ./cmd/internal/ops -update rewrites it. Got\n%s", path, got)
	}
}
