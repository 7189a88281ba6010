package memory

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
)

// garbageBytes is how much garbage may accumulate beside a large index. By Go's default that is as much as is in use,
// which doubles the memory of a process that consists mostly of its index. The index has next to no pointers, so a
// collection costs the same however large it is: 0.3 µs per document of 2 kB, with a quarter of a gibibyte between two
// collections.
const garbageBytes = 256 << 20

// leastPercent is the least setting of the collector; it keeps the heap's own bookkeeping in proportion.
const leastPercent = 10

// gcPercent returns the setting of the collector (see GOGC) for an index of this many bytes.
func gcPercent(index int64) int {
	if index <= garbageBytes {
		return 100
	}
	return max(leastPercent, int(100*garbageBytes/index))
}

// garbageEvery is how often the collector is set: an index grows by less than garbageBytes in that time.
const garbageEvery = 5 * time.Second

// smallGarbage is how much garbage may accumulate beside a small index of files. By Go's default the first megabytes
// are collected at 4 MB, at 8, at 16: a tenth of the time that a file of 2,600 advertisements takes.
const smallGarbage = 16 << 20

// mostPercent is the most setting of the collector: the first collection is then at 16 MB.
const mostPercent = 400

// filesPercent returns the setting of the collector for an index of files, which begins with nothing. Live is all that
// is in use, the index included.
func filesPercent(index, live int64) int {
	small := int(min(mostPercent, 100*smallGarbage/max(index, live, 1)))
	return max(gcPercent(index), small)
}

// SetGarbage sets the collector by the size of an index of files in bytes, and by what was in use when it last ran. It
// does nothing if GOGC is set.
func SetGarbage(index int64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(filesPercent(index, int64(live[0].Value.Uint64()))) // no heap has 2^63 bytes
}

// BoundGarbage sets the collector by the size of the index, and by duplicates.remember.memory as it is in force, until ctx is done.
// GOGC and GOMEMLIMIT outrank it.
func BoundGarbage(ctx context.Context, c config.Config, stats func() consumer.Stats) {
	tick := time.NewTicker(garbageEvery)
	defer tick.Stop()
	bound := stats().Bounds.Bytes
	for set := 100; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		s := stats()
		if s.Bounds.Bytes != bound {
			bound = s.Bounds.Bytes
			c.Judge.Duplicates.Remember.Memory = s.Params.Duplicates.Remember.Memory
			limit(c)
		}
		if percent := gcPercent(s.Index.Memory); percent != set && os.Getenv("GOGC") == "" {
			debug.SetGCPercent(percent)
			set = percent
		}
	}
}
