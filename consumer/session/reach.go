package session

import "time"

// Reach is how far a session has come in a partition that it reads.
type Reach struct {
	Topic     string
	Partition int32
	Written   time.Time // timestamp of the last document that this session committed there; zero: it committed none
}

// reached notes the last documents of a batch that was committed.
func (s *Session) reached(b *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range b.groups {
		g := &b.groups[i]
		if at := (key{g.Topic, g.Source.Partition}); len(g.items) > 0 && s.assigned[at] == g.Assignment {
			s.written[at] = g.items[len(g.items)-1].record.Timestamp
		}
	}
}

// Reaches returns how far the session has come in each partition that it reads. It may be called at any time.
func (s *Session) Reaches() []Reach {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Reach, 0, len(s.assigned))
	for at := range s.assigned {
		all = append(all, Reach{Topic: at.topic, Partition: at.partition, Written: s.written[at]})
	}
	return all
}
