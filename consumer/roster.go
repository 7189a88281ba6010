package consumer

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/index/entry"
)

// Roster is who is in the group.
type Roster struct {
	State   string // as Kafka calls it: Stable when the partitions are dealt
	Members []GroupMember
	At      time.Time // when Kafka said so; zero: it has not yet
}

// GroupMember is one session in the group. A process has several.
type GroupMember struct {
	Process    string // the member's name, without the number of the session; empty: none of unecho's
	Instance   string
	Client     string
	Host       string
	Partitions []entry.PartitionName // that it reads
}

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
	now, err := describe(ctx, group.cluster.Admin(), s.setup.Params.Group)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asking, r.err = false, err; err == nil {
		r.last = now
	}
	return r.last, r.err
}

func describe(ctx context.Context, admin *kadm.Client, group string) (Roster, error) {
	described, err := admin.DescribeGroups(ctx, group)
	g := described[group]
	if err == nil {
		err = g.Err
	}
	if err != nil {
		return Roster{}, err
	}
	out := Roster{State: g.State, At: time.Now()}
	for i := range g.Members {
		out.Members = append(out.Members, sessionOf(&g.Members[i]))
	}
	slices.SortFunc(out.Members, func(a, b GroupMember) int { return strings.Compare(a.Instance, b.Instance) })
	return out, nil
}

func sessionOf(d *kadm.DescribedGroupMember) GroupMember {
	m := GroupMember{Process: cluster.Process(d.InstanceID), Client: d.ClientID, Host: strings.TrimPrefix(d.ClientHost, "/")}
	if d.InstanceID != nil {
		m.Instance = *d.InstanceID
	}
	if c, ok := d.Assigned.AsConsumer(); ok {
		for _, t := range c.Topics {
			for _, partition := range t.Partitions {
				m.Partitions = append(m.Partitions, entry.Name(t.Topic, partition))
			}
		}
	}
	slices.SortFunc(m.Partitions, entry.PartitionName.Compare)
	return m
}
