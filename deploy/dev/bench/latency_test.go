package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestLatencies measures a little on kfake: all documents arrive at both ends, and the tables are written.
func TestLatencies(t *testing.T) {
	var out, problems bytes.Buffer
	args := []string{
		"-broker", "kfake", "-rates", "40,200", "-warm", "0", "-seconds", "1", "-partitions", "2", "-pairs", "1",
		"-verify", "estimate",
	}
	if err := run(t.Context(), args, &out, &problems); err != nil {
		t.Fatalf("run of %q returns error %v, and prints\n%s%s", args, err, &out, &problems)
	}
	for _, want := range []string{
		"kfake, verify: estimate, 40 documents/s for 1 s", "| warm-up, not counted | copy |", "| 1 | unecho |",
		"rejected 0", latencySummaryHead, "| estimate | 40 | ", "| estimate | 200 | ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

// idler is a contender that ends at once.
type idler struct{}

func (idler) run(ctx context.Context, j job, group string) (result, error) {
	ended := make(chan struct{})
	close(ended)
	return result{}, j.stream.sendAll(ctx, j, group, nil, ended)
}

// A contender that ends does not hang the run.
func TestStreamWithoutContender(t *testing.T) {
	c, err := openCluster(t.Context(), "kfake")
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	j := job{cluster: c, partitions: 1, sessions: 1, stream: newStream(params{
		partitions: 1, bytes: 100, seconds: 1,
	}, 1)}
	_, err = single(t.Context(), j, idler{}, "one")
	if err == nil || !strings.Contains(err.Error(), "it ended") {
		t.Error(err)
	}
}

// A number that is none of the stream's, and one that comes again, are errors. So is one that does not come.
func TestStreamArrivals(t *testing.T) {
	s := &stream{arrived: make([]time.Duration, 2)}
	for _, one := range []struct {
		key string
		bad bool
	}{{"1", false}, {"1", true}, {"2", true}, {"-1", true}, {"", true}, {"0", false}} {
		if err := s.arrive(&kgo.Record{Key: []byte(one.key)}, time.Second); (err != nil) != one.bad {
			t.Errorf("arrive of the key %q returns error %v; want one: %t", one.key, err, one.bad)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.through.Store(2)
	if err := s.until(ctx, 2); err != nil {
		t.Error(err)
	}
	cancel()
	if err := s.until(ctx, 3); err == nil || !strings.HasPrefix(err.Error(), "2 of 3 documents") {
		t.Error(err)
	}
}

// The documents before those that count are left out, and a percentile is the time of a document.
func TestStreamMeasures(t *testing.T) {
	s := &stream{first: 1, warm: 2, texts: make([][]byte, 203)}
	for i := range s.texts {
		s.sent = append(s.sent, time.Second)
		s.arrived = append(s.arrived, time.Second+time.Duration(203-i)*time.Millisecond)
	}
	s.arrived[0] = time.Hour
	if got, want := s.measured(), (latency{median: 100 * time.Millisecond, p99: 198 * time.Millisecond}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLatencySummary(t *testing.T) {
	var pairs []round
	for _, n := range []time.Duration{1, 2, 3} {
		pairs = append(pairs, round{
			theCopy: {latency: latency{median: 8 * time.Millisecond, p99: 40 * time.Millisecond}},
			unecho:  {latency: latency{median: n * 8 * time.Millisecond, p99: n * 20 * time.Millisecond}},
		})
	}
	if got, want := latencySummary("jaccard", 5000, pairs),
		"| jaccard | 5,000 | 8.0 | 40 | 16 | 40 | 2.00 (1.00 to 3.00) | 1.00 (0.50 to 1.50) |"; got != want {
		t.Errorf("latencySummary = %s\nwant %s", got, want)
	}
	if got, want := latencyRow("1", "copy", pairs[0]), "| 1 | copy | 8.0 / 40 | 8.0 / 20 | 1.00 | 0.50 |"; got != want {
		t.Errorf("latencyRow = %s\nwant %s", got, want)
	}
}
