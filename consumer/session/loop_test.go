package session

import (
	"context"
	"errors"
	"testing"

	"github.com/unecho/unecho/consumer/stop"
)

// What waits ends when partitions are taken away, and only then: also after an abort, which the session has survived.
func TestWhileAssigned(t *testing.T) {
	t.Parallel()
	s := &Session{revoking: make(chan struct{})}
	until := func(held context.Context) error {
		<-held.Done()
		return context.Cause(held)
	}
	for range 2 {
		var during error
		if err := s.whileAssigned(t.Context(), func(held context.Context) error {
			during = held.Err()
			return nil
		}); err != nil || during != nil {
			t.Fatalf("it has its partitions, and what waits ends: %v, %v", during, err)
		}
		s.revoked = true
		close(s.revoking)
		if err := s.whileAssigned(t.Context(), until); err != nil {
			t.Fatalf("a revocation is an error: %v", err)
		}
		s.resume()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.whileAssigned(ctx, until); !errors.Is(err, context.Canceled) {
		t.Errorf("the end of the process is none: %v", err)
	}
}

// A person is needed, and that is found while the session has no client: it opens none, which would know nothing of it.
func TestStoppedBetweenClients(t *testing.T) {
	t.Parallel()
	s := &Session{abandon: func() {}}
	because := &stop.Error{What: "the journal takes no appends"}
	_ = s.stopped(because)
	if err := s.open(); !errors.Is(err, because) {
		t.Errorf("it opens with %v", err)
	}
}
