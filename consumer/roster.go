package consumer

import (
	"context"
	"sync"
	"time"

	"github.com/unecho/unecho/consumer/cluster"
)

// Roster is who is in the group.
type Roster struct {
	State   string // as Kafka calls it: Stable when the partitions are dealt
	Members []GroupMember
	At      time.Time // when Kafka said so; zero: it has not yet
}

// GroupMember is one session in the group, or of another program. A process has several.
type GroupMember = cluster.Member

// Bounds of asking Kafka who is in the group.
const (
	rosterEvery   = 3 * time.Second
	rosterTimeout = 3 * time.Second
)

// roster asks at most every few seconds, and one question at a time, whoever asks.
type roster struct {
	mu     sync.Mutex
	last   Roster
	err    error
	began  time.Time
	asking bool
}

// Roster tells who is in the group, as of a few seconds ago. While one caller waits for Kafka, others get what was
// known before. The error says why Kafka did not answer last.
func (s *Service) Roster(ctx context.Context) (Roster, error) {
	group, r := s.group.Load(), &s.roster
	r.mu.Lock()
	if group == nil || r.asking || time.Since(r.began) < rosterEvery {
		defer r.mu.Unlock()
		return r.last, r.err
	}
	r.asking, r.began = true, time.Now()
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rosterTimeout) // the answer is for others as well
	defer cancel()
	now, err := cluster.Members(ctx, group.cluster.Admin(), s.setup.Params.Group)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asking, r.err = false, err; err == nil {
		r.last = Roster{State: now.State, Members: now.Members, At: time.Now()}
	}
	return r.last, r.err
}
