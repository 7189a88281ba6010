package session

import (
	"context"
	"errors"
	"testing"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
)

// What waits ends when partitions are taken away, and only then: also after an abort, which the session has survived.
func TestWhileHeld(t *testing.T) {
	t.Parallel()
	var m mailbox
	if err := m.opens(func() {}); err != nil {
		t.Fatalf("it opens with %v", err)
	}
	until := func(held context.Context) error {
		<-held.Done()
		return context.Cause(held)
	}
	name := protocol.PartitionName{Topic: "news", Partition: 3}
	for range 2 {
		var during error
		if err := m.whileHeld(t.Context(), func(held context.Context) error {
			during = held.Err()
			return nil
		}); err != nil || during != nil {
			t.Fatalf("it has its partitions, and what waits ends: %v, %v", during, err)
		}
		m.post(letter{lost: []protocol.PartitionName{name}})
		if err := m.whileHeld(t.Context(), until); err != nil {
			t.Fatalf("a revocation is an error: %v", err)
		}
		if !m.revoked() || !m.hasLost(name) || m.hasLost(protocol.PartitionName{Topic: "news"}) {
			t.Errorf("partition 3 was taken: revoked %t, lost 3 %t, lost 0 %t; want true, true, false",
				m.revoked(), m.hasLost(name), m.hasLost(protocol.PartitionName{Topic: "news"}))
		}
		if mail := m.receive(); len(mail) != 1 || !m.revoked() || m.hasLost(name) {
			t.Errorf("received %d letters, revoked %t, lost 3 %t; want 1, true, false", len(mail), m.revoked(), m.hasLost(name))
		}
		m.resume()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.whileHeld(ctx, until); !errors.Is(err, context.Canceled) {
		t.Errorf("the end of the process is none: %v", err)
	}
}

// A person is needed, and that is found while the session has no client: it opens none, which would know nothing of it.
func TestStoppedBetweenClients(t *testing.T) {
	t.Parallel()
	s := &Session{mail: &mailbox{}}
	because := &stop.Error{What: "the journal takes no appends"}
	_ = s.mail.stop(because)
	if err := s.open(); !errors.Is(err, because) {
		t.Errorf("it opens with %v", err)
	}
}
