//go:build unix

package main

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// loss is a moment at which members or servers were lost, and what the source held then.
type loss struct {
	what string
	at   time.Time
	ends map[int32]int64
}

// watch follows what the group commits, and measures how long documents wait after a loss.
type watch struct {
	admin  *kadm.Client
	group  string
	source string
	load   *load

	mu        sync.Mutex
	committed map[int32]int64
	open      []loss
	waits     map[string][]time.Duration
}

// watchEvery is how often the group's offsets are asked for. The waits are exact to that time.
const watchEvery = 100 * time.Millisecond

func newWatch(w *world, group, source string, l *load) *watch {
	return &watch{
		admin: w.admin, group: group, source: source, load: l, committed: map[int32]int64{},
		waits: map[string][]time.Duration{},
	}
}

// run asks until ctx is done.
func (w *watch) run(ctx context.Context) {
	for ctx.Err() == nil {
		w.look(ctx)
		wait(ctx, watchEvery)
	}
}

func (w *watch) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	offsets, err := w.admin.FetchOffsets(ctx, w.group)
	if err != nil {
		return // the coordinator is away, and the next request sees more
	}
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	offsets.Each(func(o kadm.OffsetResponse) {
		if o.Topic == w.source && o.Err == nil {
			w.committed[o.Partition] = o.At
		}
	})
	w.open = slices.DeleteFunc(w.open, func(l loss) bool {
		if !reached(w.committed, l.ends) {
			return false
		}
		w.waits[l.what] = append(w.waits[l.what], now.Sub(l.at))
		return true
	})
}

func reached(committed, ends map[int32]int64) bool {
	for p, end := range ends {
		if committed[p] < end {
			return false
		}
	}
	return true
}

// lost begins to measure a loss.
func (w *watch) lost(what string) {
	ends, _ := w.load.written()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = append(w.open, loss{what: what, at: time.Now(), ends: ends})
}

// allCommitted says whether everything that was written is committed.
func (w *watch) allCommitted() bool {
	ends, _ := w.load.written()
	w.mu.Lock()
	defer w.mu.Unlock()
	return reached(w.committed, ends)
}

// waiting returns how many documents are written and not committed.
func (w *watch) waiting() (n int64) {
	ends, _ := w.load.written()
	w.mu.Lock()
	defer w.mu.Unlock()
	for p, end := range ends {
		n += end - w.committed[p]
	}
	return n
}

// waited returns how long documents waited after each kind of loss, sorted by duration.
func (w *watch) waited() map[string][]time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string][]time.Duration{}
	for what, d := range maps.All(w.waits) {
		all[what] = slices.Sorted(slices.Values(d))
	}
	return all
}
