package session

import (
	"slices"
	"sync"

	"github.com/unecho/unecho/consumer/routing"
)

// Sources are the topics that the sessions of a process read. Those that source.pattern brings come and go while they
// run. It is safe for concurrent use.
type Sources struct {
	Choice *routing.Choice

	mu      sync.Mutex
	topics  []string
	version int
}

// NewSources are the topics that are named.
func NewSources(choice *routing.Choice) *Sources {
	return &Sources{Choice: choice, topics: choice.Among(nil)}
}

// List returns the topics, which are not to be changed, and a number that is another one whenever they are others.
func (s *Sources) List() (topics []string, version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.topics, s.version
}

// Set replaces the topics.
func (s *Sources) Set(topics []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.topics, topics) {
		s.topics, s.version = topics, s.version+1
	}
}

// Drop gives a topic up until it is looked for again.
func (s *Sources) Drop(topic string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.topics, topic); i >= 0 {
		s.topics, s.version = slices.Delete(slices.Clone(s.topics), i, i+1), s.version+1
	}
}

// subscribe has the client read topics that have come since it was opened. A session that reads a topic that is gone is
// built anew without it. A topic is one of Sources when its outputs are as they must be.
func (s *Session) subscribe() error {
	topics, version := s.Sources.List()
	if version == s.subscribed {
		return nil
	}
	for _, topic := range s.reads {
		if !slices.Contains(topics, topic) {
			return rebuild("topic %s is not read any more", topic)
		}
	}
	var come []string
	for _, topic := range topics {
		if !slices.Contains(s.reads, topic) {
			come = append(come, topic)
		}
	}
	s.client.Client().AddConsumeTopics(come...)
	s.reads, s.subscribed = topics, version
	return nil
}

// passing says that a topic is read because of its name only, and may be gone without a person having to look.
func (s *Session) passing(topic string) bool {
	return s.Sources.Choice.Open() && !s.Sources.Choice.Names(topic)
}
