package member

import (
	"sync"
	"time"
)

// Stopwatch measures how long something goes on, again and again. The zero value has measured nothing. Its methods may be
// called from several goroutines.
type Stopwatch struct {
	mu    sync.Mutex
	past  time.Duration // of what is over
	since time.Time     // zero: it does not go on
}

// start begins to measure, until what it returns is called. Nothing may be measured already.
func (s *Stopwatch) start() (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = time.Now()
	return s.stop
}

func (s *Stopwatch) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past, s.since = s.past+time.Since(s.since), time.Time{}
}

// Total is what was measured so far, with what goes on now. It never falls.
func (s *Stopwatch) Total() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return s.past
	}
	return s.past + time.Since(s.since)
}

// Since is when what goes on now began; zero: it does not go on.
func (s *Stopwatch) Since() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since
}
