package standing

import (
	"maps"
	"slices"
	"sync"

	"github.com/unecho/unecho/consumer/protocol"
)

// Waiting is a partition that waits for a person, at a batch that cannot be unpacked. The others go on.
type Waiting struct {
	protocol.PartitionName
	Offset int64 // where the batch begins
	Next   int64 // where the next one does
}

// WaitingList are the partitions of this process that wait. It is safe for concurrent use.
type WaitingList struct {
	mu sync.Mutex
	at map[protocol.PartitionName]Waiting
}

// Add notes a partition. It says whether that is news.
func (w *WaitingList) Add(p Waiting) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at == nil {
		w.at = map[protocol.PartitionName]Waiting{}
	}
	before := w.at[p.PartitionName]
	w.at[p.PartitionName] = p
	return before != p
}

// Forget strikes off partitions that were taken away, or begin anew.
func (w *WaitingList) Forget(name protocol.PartitionName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.at, name)
}

// List returns them in order.
func (w *WaitingList) List() []Waiting {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(maps.Values(w.at), func(a, b Waiting) int { return a.Compare(b.PartitionName) })
}
