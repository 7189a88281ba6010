package api

import (
	"net/http"
	"sync"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer"
)

// The counters are read every few seconds, whether somebody asks or not.
const (
	sampleEvery = 5 * time.Second
	ofMinute    = int(time.Minute / sampleEvery)
	samples     = int(quarter/sampleEvery) + 1 // and the one before
)

// sample is a reading of the counters.
type sample struct {
	at                          time.Time
	documents                   uint64 // committed by this process
	unique, duplicate, rejected uint64 // of those
	delay                       consumer.Histogram
	entered                     uint64 // into the window, by this process's replica
	reads, late                 uint64 // of old documents in files
	lag                         *int64
	behind                      *float64
}

// history is what the member saw in the last quarter of an hour.
type history struct {
	mu   sync.Mutex
	last []sample // the oldest first
}

// add takes a sample.
func (h *history) add(s *consumer.Stats, now time.Time) {
	next := sample{
		at: now, documents: s.Committed(), unique: s.Unique, duplicate: s.Duplicate, rejected: s.Rejections(), delay: s.Delay,
		entered: s.Index.Unique, reads: s.FileReads, late: s.FileLate, lag: known(s.SourceLag), behind: behind(s),
	}
	if s.Params.Duplicates.CompareCopies { // copies enter the window, too
		next.entered = s.Index.Judged
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.last); n > 0 && !now.After(h.last[n-1].at) {
		return
	}
	if len(h.last) == samples {
		h.last = append(h.last[:0], h.last[1:]...)
	}
	h.last = append(h.last, next)
}

// minute returns the samples of the last minute, and the one before.
func (h *history) minute() []sample { return h.last[max(0, len(h.last)-ofMinute-1):] }

// entering returns how many documents a second entered the window; 0 if that is not known yet. A count that falls begins
// anew: the replica was restored.
func (h *history) entering() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := h.minute()
	for i := len(of) - 1; i > 0; i-- {
		if of[i].entered < of[i-1].entered {
			of = of[i:]
			break
		}
	}
	if len(of) < 2 {
		return 0
	}
	first, last := &of[0], &of[len(of)-1]
	return float64(last.entered-first.entered) / last.at.Sub(first.at).Seconds()
}

// now is the rate of the last minute; nil if it is not known yet.
func (h *history) now() *shape.Rate {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := h.minute()
	if len(of) < 2 {
		return nil
	}
	r := between(&of[0], &of[len(of)-1])
	return &r
}

// points are the rates from each sample to the next.
func (h *history) points() []shape.Rate {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := []shape.Rate{}
	for i := 1; i < len(h.last); i++ {
		out = append(out, between(&h.last[i-1], &h.last[i]))
	}
	return out
}

// between is what was committed between two samples.
func between(from, to *sample) shape.Rate {
	took := to.at.Sub(from.at).Seconds()
	r := shape.Rate{
		Time: shape.At(to.at.UnixMilli()), Seconds: took,
		Documents: float64(to.documents-from.documents) / took, Unique: float64(to.unique-from.unique) / took,
		Duplicate: float64(to.duplicate-from.duplicate) / took, Rejected: float64(to.rejected-from.rejected) / took,
		Reads: float64(to.reads-from.reads) / took, Late: float64(to.late-from.late) / took,
		Median: quantile(&from.delay, &to.delay, 0.5), Slowest: quantile(&from.delay, &to.delay, 0.99),
		Lag: to.lag, Behind: to.behind,
	}
	if r.Documents > 0 {
		share := r.Duplicate / r.Documents
		r.Duplicates = &share
	}
	return r
}

// quantile is that of the values between two readings, interpolated within a bucket; nil if there are none. Above all
// bounds it is the last of them.
func quantile(from, to *consumer.Histogram, q float64) *float64 {
	wanted, below := q*float64(to.Count-from.Count), 0.0
	if wanted <= 0 {
		return nil
	}
	low := 0.0
	for i, bound := range to.Bounds {
		n := float64(to.Counts[i])
		if i < len(from.Counts) {
			n -= float64(from.Counts[i])
		}
		if below+n >= wanted {
			low += (bound - low) * (wanted - below) / n
			break
		}
		low, below = bound, below+n
	}
	return &low
}

func (a *api) past(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, shape.History{Points: a.history.points()})
}
