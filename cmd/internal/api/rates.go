package api

import (
	"sync"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer"
)

// Rates are those of the last minute. For that the counters are read every few seconds, whether somebody asks or not.
const (
	sampleEvery = 5 * time.Second
	samples     = 13 // a minute, and the reading before it
)

// sample is a reading of the counters.
type sample struct {
	at                    time.Time
	documents, duplicates uint64 // committed by this process
	entered               uint64 // into the window, by this process's replica
}

type rates struct {
	mu   sync.Mutex
	last []sample // the oldest first
}

// add takes a sample. Counters that fall begin anew: the replica was restored.
func (r *rates) add(s *consumer.Stats, now time.Time) {
	next := sample{at: now, documents: s.Unique + s.Duplicate + s.Unchecked, duplicates: s.Duplicate, entered: s.Index.Unique}
	for _, n := range s.Rejected {
		next.documents += n
	}
	if s.Params.Duplicates.CompareCopies { // copies enter the window, too
		next.entered = s.Index.Judged
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.last); n > 0 && next.entered < r.last[n-1].entered {
		r.last = r.last[:0]
	}
	if len(r.last) == samples {
		r.last = append(r.last[:0], r.last[1:]...)
	}
	r.last = append(r.last, next)
}

// span returns the first and the last sample; ok is false if there are not two.
func (r *rates) span() (first, last sample, seconds float64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.last) < 2 {
		return first, last, 0, false
	}
	first, last = r.last[0], r.last[len(r.last)-1]
	seconds = last.at.Sub(first.at).Seconds()
	return first, last, seconds, seconds > 0
}

// entering returns how many documents a second entered the window; 0 if that is not known yet.
func (r *rates) entering() float64 {
	first, last, seconds, ok := r.span()
	if !ok {
		return 0
	}
	return float64(last.entered-first.entered) / seconds
}

func (r *rates) now() *shape.Rate {
	first, last, seconds, ok := r.span()
	if !ok {
		return nil
	}
	out := &shape.Rate{Seconds: seconds}
	if n := last.documents - first.documents; n > 0 {
		share := float64(last.duplicates-first.duplicates) / float64(n)
		out.Documents, out.Duplicates = float64(n)/seconds, &share
	}
	return out
}
