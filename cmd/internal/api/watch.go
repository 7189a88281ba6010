package api

import (
	"sync"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer"
)

// Readings of the counters are kept for the conditions that compare with earlier ones.
const (
	readEvery = 30 * time.Second
	readings  = 125 // of an hour, and some more
)

type reading struct {
	at                               time.Time
	ready                            bool
	lag, next                        int64 // next: offset of the journal
	commits, documents, rejected     uint64
	unchecked, duplicates            uint64
	deleted, withdrawals, divergence uint64
	skipped                          uint64
	strays, snapshotErrs, trimErrs   uint64
	fileErrs, fileWait               uint64 // fileWait: ms
	unique, uniqueCut                uint64
	sign, judge, forward             float64 // seconds that batches took
}

func readingOf(s *consumer.Stats, ready bool, now time.Time) reading {
	r := reading{
		at: now, ready: ready, lag: s.SourceLag, next: s.JournalNext, commits: s.Commits, documents: s.Committed(),
		rejected: s.Rejections(), unchecked: s.Unchecked, duplicates: s.Duplicate,
		deleted: s.Deleted, skipped: s.Skipped, withdrawals: s.Withdrawals,
		divergence: s.Divergences, snapshotErrs: s.SnapshotErrs, trimErrs: s.TrimErrs, fileErrs: s.FileErrs,
		fileWait: uint64(s.FileWait.Milliseconds()), unique: s.Index.Unique, uniqueCut: s.Index.UniqueCut,
		sign: s.Latency.Sign.Sum, judge: s.Latency.Judge.Sum, forward: s.Latency.Forward.Sum,
	}
	for _, n := range s.Strays {
		r.strays += n
	}
	return r
}

// watch finds what a person should know: the conditions of the alerts, by what this process knows itself.
type watch struct {
	certificate func(now time.Time) string // nil: there is none
	sessions    int

	mu    sync.Mutex
	kept  []reading // the oldest first
	since map[string]time.Time
}

// look takes a reading. It is called every few seconds.
func (w *watch) look(s *consumer.Stats, ready bool, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.judge(s, ready, now)
	if n := len(w.kept); n > 0 && now.Sub(w.kept[n-1].at) < readEvery {
		return
	}
	if len(w.kept) == readings {
		w.kept = append(w.kept[:0], w.kept[1:]...)
	}
	w.kept = append(w.kept, readingOf(s, ready, now))
}

// judge notes since when each condition holds. The caller holds mu.
func (w *watch) judge(s *consumer.Stats, ready bool, now time.Time) {
	if w.since == nil {
		w.since = map[string]time.Time{}
	}
	seen := w.seen(s, ready, now)
	for _, c := range conditions() {
		switch _, there := w.since[c.code]; {
		case !c.holds(seen):
			delete(w.since, c.code)
		case !there:
			w.since[c.code] = now
		}
	}
}

func (w *watch) seen(s *consumer.Stats, ready bool, now time.Time) *seen {
	out := &seen{Stats: s, now: readingOf(s, ready, now), kept: w.kept, sessions: w.sessions}
	if w.certificate != nil {
		out.certificate = w.certificate(now)
	}
	return out
}

// warnings returns the conditions that hold now, the most urgent first.
func (w *watch) warnings(s *consumer.Stats, ready bool, why func(consumer.Stats) string, now time.Time) []shape.Warning {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.judge(s, ready, now)
	out := []shape.Warning{}
	seen := w.seen(s, ready, now)
	seen.why = why
	for _, c := range conditions() {
		if since, there := w.since[c.code]; there {
			out = append(out, shape.Warning{
				Code: c.code, Text: c.text(seen), Remedy: c.remedy, Runbook: "runbook.md#" + anchor(c.code),
				Since:   shape.At(since.UnixMilli()),
				Pending: now.Sub(since) < c.lasting,
			})
		}
	}
	return out
}
