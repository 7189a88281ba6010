package unpack

import (
	"slices"
	"time"
)

// turns makes sure that each batch is unpacked in the end, whatever the other partitions do: whenever there is room
// again, the batch that has waited longest goes first. Otherwise the partitions that come first in a fetch could fill
// the room each time.
//
// A batch is identified by a hash of its bytes. Each partition has at most one waiting batch, its next.
type turns struct {
	waiting []waiting // the one that has waited longest is first
	first   bool      // the first of them goes before all other batches
	since   time.Time // when first was set
}

type waiting struct {
	batch uint64
	seen  time.Time // when it was asked for last
}

// patience is how long others wait for the batch whose turn it is. The batch may never come, because its partition was
// taken away.
const patience = 5 * time.Second

func (t *turns) wait(batch uint64) {
	now := time.Now()
	for i := range t.waiting {
		if t.waiting[i].batch == batch {
			t.waiting[i].seen = now
			return
		}
	}
	t.waiting = append(t.waiting, waiting{batch, now})
}

// begin notes that there is room again.
func (t *turns) begin() { t.first, t.since = len(t.waiting) > 0, time.Now() }

// may says whether a batch may be unpacked now.
func (t *turns) may(batch uint64) bool {
	if !t.first || t.waiting[0].batch == batch {
		return true
	}
	if time.Since(t.since) < patience {
		return false
	}
	t.waiting = slices.DeleteFunc(t.waiting, func(w waiting) bool { return w.seen.Before(t.since) })
	t.first = false
	return true
}

// had notes that a batch was unpacked, or cannot be.
func (t *turns) had(batch uint64) {
	for i := range t.waiting {
		if t.waiting[i].batch == batch {
			t.first = t.first && i > 0
			t.waiting = slices.Delete(t.waiting, i, i+1)
			return
		}
	}
}
