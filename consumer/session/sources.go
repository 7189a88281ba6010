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

// passing says that a topic is read because of its name only, and may be gone without a person having to look.
func (s *Sources) passing(topic string) bool { return s.Choice.Open() && !s.Choice.Names(topic) }
