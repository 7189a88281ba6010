package standing

import (
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/protocol"
)

// Reach is how far a session has come in a partition that it reads.
type Reach struct {
	protocol.PartitionName
	Written time.Time // timestamp of the last document that this session committed there; zero: it committed none
}

// reach is that of a partition that the group gave a session.
type reach struct {
	led     bool // else it is not read, because it has no leader
	written time.Time
}

// Note notes what came and went.
func (st *Session) Note(l *mail.Letter) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, a := range l.Given {
		st.of[a.Name()] = reach{led: true}
	}
	for _, name := range l.Unled {
		st.of[name] = reach{}
	}
	for _, name := range l.Lost {
		delete(st.of, name)
	}
	read := 0
	for _, at := range st.of {
		if at.led {
			read++
		}
	}
	st.counters.Partitions.Add(int64(read - st.counted))
	st.counted = read
}

// reached notes the timestamps of the last documents that were committed. The caller holds mu.
func (st *Session) reached(last iter.Seq2[protocol.PartitionName, time.Time]) {
	for name, written := range last {
		if st.of[name].led {
			st.of[name] = reach{led: true, written: written}
		}
	}
}

// Nothing says that the group gave nothing.
func (st *Session) Nothing() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return len(st.of) == 0
}

// Reaches returns how far the session has come in each partition that it reads.
func (st *Session) Reaches() (all []Reach) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for name, at := range st.of {
		if at.led {
			all = append(all, Reach{PartitionName: name, Written: at.written})
		}
	}
	return all
}

// Has says whether the group gave the session a partition, whether or not it has a leader.
func (st *Session) Has(of protocol.PartitionName) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	_, has := st.of[of]
	return has
}

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
