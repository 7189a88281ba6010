package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A backlog of large documents is taken in pieces: what the process holds at a time is bounded by what is fetched at a time,
// not by what waits in the topic.
func TestMemoryUnderLargeDocuments(t *testing.T) {
	t.Parallel()
	const (
		documents, partitions = 256, 16
		size                  = 900_000
		mayHold               = 136 << 20 // 91 to 114 MiB were seen, and 250 without the bound
	)
	s := newScene(t, partitions)
	ops := freeAddress(t)
	s.configure(s.inDirectory(), s.consumer("sessions: 1"), "http: {listen: '"+ops+"'}",
		"duplicates: {verify: estimate}")
	s.client = s.connect(kgo.DefaultProduceTopic(s.source), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range documents {
		text := strings.Repeat(words(r, 100), 1+size/500)[:size]
		s.send(&kgo.Record{Partition: int32(i % partitions), Key: fmt.Appendf(nil, "k%d", i), Value: []byte(text)})
	}
	p := s.runPlain() // the race detector would take memory of its own
	p.says(`"ready"`)
	most := 0.0
	s.until("all is committed", func(ctx context.Context) bool {
		most = max(most, metric(ctx, t, ops, "go_memstats_heap_inuse_bytes"))
		sum, _ := s.committed(ctx)
		return sum >= int64(s.total())
	})
	t.Logf("%d MB waited; the heap was %.0f MiB at most", documents*size/1_000_000, most/(1<<20))
	if most > mayHold {
		t.Errorf("the heap was %.0f MiB at most, and was to be below %d", most/(1<<20), mayHold>>20)
	}
	stopAll(t, startBound, p)
	if sum := s.forwarded(); sum != s.total() {
		t.Errorf("%d documents were sent, %d came out", s.total(), sum)
	}
}
