package memory

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	"github.com/unecho/unecho/consumer"
)

// garbageBytes is how much garbage may pile up beside a large index. By Go's default it is as much as there is in use, which
// doubles the memory of a process whose index is most of it. The index has next to no pointers, so a collection costs the same
// however large it is: with a quarter of a gibibyte between two, 0.3 µs a document of 2 kB.
const garbageBytes = 256 << 20

// leastPercent keeps the heap's own bookkeeping in proportion.
const leastPercent = 10

// gcPercent is what the collector is set to (see GOGC) with an index of so many bytes.
func gcPercent(index int64) int {
	if index <= garbageBytes {
		return 100
	}
	return max(leastPercent, int(100*garbageBytes/index))
}

// garbageEvery is how often the collector is set: an index grows by less than garbageBytes in that time.
const garbageEvery = 5 * time.Second

// SetGarbage sets the collector by the size of an index in bytes. Who sets GOGC knows better.
func SetGarbage(index int64) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent(index))
	}
}

// BoundGarbage sets the collector by the size of the index until ctx is done. Who sets GOGC knows better.
func BoundGarbage(ctx context.Context, stats func() consumer.Stats) {
	if os.Getenv("GOGC") != "" {
		return
	}
	tick := time.NewTicker(garbageEvery)
	defer tick.Stop()
	for set := 100; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if percent := gcPercent(stats().Index.Memory); percent != set {
			debug.SetGCPercent(percent)
			set = percent
		}
	}
}
