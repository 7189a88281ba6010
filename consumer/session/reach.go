package session

import (
	"sync"
	"time"

	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/protocol"
)

// Reach is how far a session has come in a partition that it reads.
type Reach struct {
	protocol.PartitionName
	Written time.Time // timestamp of the last document that this session committed there; zero: it committed none
}

// reaches are the partitions that the group gave a session, for those who look on.
type reaches struct {
	counters *measure.Counters

	mu      sync.Mutex
	of      map[protocol.PartitionName]reach
	counted int // in the counters
}

type reach struct {
	led     bool // else it is not read, because it has no leader
	written time.Time
}

// opens begins with no partition. Those of before count until others are given.
func (r *reaches) opens() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of = map[protocol.PartitionName]reach{}
}

// note notes what came and went.
func (r *reaches) note(l *letter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range l.given {
		r.of[a.Name()] = reach{led: true}
	}
	for _, name := range l.unled {
		r.of[name] = reach{}
	}
	for _, name := range l.lost {
		delete(r.of, name)
	}
	read := 0
	for _, at := range r.of {
		if at.led {
			read++
		}
	}
	r.counters.Partitions.Add(int64(read - r.counted))
	r.counted = read
}

// reached notes the last documents of a batch that was committed.
func (r *reaches) reached(b *batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range b.groups {
		g := &b.groups[i]
		if r.of[g.Name()].led && len(g.items) > 0 {
			r.of[g.Name()] = reach{led: true, written: g.items[len(g.items)-1].record.Timestamp}
		}
	}
}

// none says that the group gave nothing.
func (r *reaches) none() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.of) == 0
}

// Reaches returns how far the session has come in each partition that it reads. It may be called at any time.
func (s *Session) Reaches() (all []Reach) {
	s.reaches.mu.Lock()
	defer s.reaches.mu.Unlock()
	for name, at := range s.reaches.of {
		if at.led {
			all = append(all, Reach{PartitionName: name, Written: at.written})
		}
	}
	return all
}

// Has says whether the group gave the session a partition, whether or not it has a leader. It may be called at any time.
func (s *Session) Has(of protocol.Range) bool {
	s.reaches.mu.Lock()
	defer s.reaches.mu.Unlock()
	_, has := s.reaches.of[protocol.PartitionName{Topic: of.Topic, Partition: of.Source.Partition}]
	return has
}
