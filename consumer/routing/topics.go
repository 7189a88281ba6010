package routing

import (
	"slices"
	"sync"
)

// Topics are those that the sessions of a process read. Those that sources.pattern brings come and go while they
// run. It is safe for concurrent use.
type Topics struct {
	Choice *Choice

	mu      sync.Mutex
	topics  []string
	version int
	before  []string // those that were there when the process began to work
	works   bool
}

// NewTopics are the topics that are named.
func NewTopics(choice *Choice) *Topics {
	return &Topics{Choice: choice, topics: choice.Among(nil)}
}

// List returns the topics, which are not to be changed, and a number that is another one whenever they are others.
func (t *Topics) List() (topics []string, version int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.topics, t.version
}

// Set replaces the topics.
func (t *Topics) Set(topics []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Equal(t.topics, topics) {
		t.topics, t.version = topics, t.version+1
	}
}

// Began notes that the process has begun to work.
func (t *Topics) Began() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.works {
		t.before, t.works = t.topics, true
	}
}

// CameLater says that a topic came when the process was at work.
func (t *Topics) CameLater(topic string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.works && !slices.Contains(t.before, topic)
}

// Drop gives a topic up until it is looked for again.
func (t *Topics) Drop(topic string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.topics, topic); i >= 0 {
		t.topics, t.version = slices.Delete(slices.Clone(t.topics), i, i+1), t.version+1
	}
}

// MatchedByPattern says that a topic is read because of its name only, and may be gone without a person having to look.
func (t *Topics) MatchedByPattern(topic string) bool {
	return t.Choice.Open() && !t.Choice.Names(topic)
}
