package mail

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
	var m Box
	if err := m.Open(func() {}); err != nil {
		t.Fatalf("it opens with %v", err)
	}
	until := func(held context.Context) error {
		<-held.Done()
		return context.Cause(held)
	}
	name := protocol.PartitionName{Topic: "news", Partition: 3}
	for range 2 {
		var during error
		if err := m.WhileHeld(t.Context(), func(held context.Context) error {
			during = held.Err()
			return nil
		}); err != nil || during != nil {
			t.Fatalf("it has its partitions, and what waits ends: %v, %v", during, err)
		}
		m.Post(Letter{Lost: []protocol.PartitionName{name}})
		if err := m.WhileHeld(t.Context(), until); err != nil {
			t.Fatalf("a revocation is an error: %v", err)
		}
		if !m.Revoked() || !m.HasLost(name) || m.HasLost(protocol.PartitionName{Topic: "news"}) {
			t.Errorf("partition 3 was taken: revoked %t, lost 3 %t, lost 0 %t; want true, true, false",
				m.Revoked(), m.HasLost(name), m.HasLost(protocol.PartitionName{Topic: "news"}))
		}
		if mail := m.Receive(); len(mail) != 1 || !m.Revoked() || m.HasLost(name) {
			t.Errorf("received %d letters, revoked %t, lost 3 %t; want 1, true, false", len(mail), m.Revoked(), m.HasLost(name))
		}
		m.Resume()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.WhileHeld(ctx, until); !errors.Is(err, context.Canceled) {
		t.Errorf("the end of the process is none: %v", err)
	}
}

// A person is needed, and that is found while the session has no client: it opens none, which would know nothing of it.
func TestStoppedBetweenClients(t *testing.T) {
	t.Parallel()
	var m Box
	because := &stop.Error{What: "the journal takes no appends"}
	_ = m.Stop(because)
	if err := m.Open(func() {}); !errors.Is(err, because) {
		t.Errorf("it opens with %v", err)
	}
}
