package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/unecho/unecho/sink"
)

// The output for unique documents takes none of one partition, because they are too old for it. They go to rejected,
// and no verdict depends on how far the feeder was ahead: the copies of each are its duplicates, by one process as by
// three that are killed.
func TestBackfillRefused(t *testing.T)     { tryBackfillRefused(t, 6000, 2) }
func TestBackfillRefusedLong(t *testing.T) { tryBackfillRefused(t, 200_000, 10) }

func tryBackfillRefused(t *testing.T, documents, kills int) {
	t.Parallel()
	const partitions = 8 // the last one is the old one
	s, forever := newScene(t, 0), "-1"
	s.create(s.source, partitions, map[string]*string{"retention.ms": &forever})
	s.configure(s.inDirectory(), "window: {count: 2000000}")
	s.history(documents, partitions)
	most := fmt.Sprint((230 * 24 * time.Hour).Milliseconds())
	for _, job := range []string{"one", "three"} {
		for _, output := range []string{sink.Unique, sink.Duplicate, sink.Rejected} {
			configs := map[string]*string{"retention.ms": &forever}
			if output == sink.Unique {
				configs[timestampLimit] = &most
			}
			s.create(s.name+"-"+job+"."+output, partitions, configs)
		}
	}
	rate := fmt.Sprint(documents / 4) // so that the feeder of one is hardly ahead
	one, three := s.backfill("one", 1, kills, "--max-rate", rate), s.backfill("three", 3, kills)
	differ := 0
	for p := range one.outputs {
		for offset := range one.outputs[p] {
			if one.outputs[p][offset] != three.outputs[p][offset] {
				differ++
			}
		}
	}
	if differ > 0 || one.summary != three.summary {
		t.Errorf("%d verdicts differ: %+v and %+v", differ, one.summary, three.summary)
	}
	if least := int64(documents) / partitions / 2; one.summary.Rejected < least || one.summary.Duplicate < least {
		t.Errorf("%+v: more of the old partition is unique, and so rejected", one.summary)
	}
	t.Logf("%d documents, %d kills of each process: %+v", documents, kills, one.summary)
}
