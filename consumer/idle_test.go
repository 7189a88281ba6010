package consumer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// asked counts the requests of a member's clients, by kind.
type asked struct {
	mu     sync.Mutex
	counts map[int16]int
	enough chan struct{} // receives after each fetch
}

var _ kgo.HookBrokerE2E = (*asked)(nil)

// OnBrokerE2E implements kgo.HookBrokerE2E.
func (a *asked) OnBrokerE2E(_ kgo.BrokerMetadata, kind int16, _ kgo.BrokerE2E) {
	a.mu.Lock()
	a.counts[kind]++
	a.mu.Unlock()
	if kind == int16(kmsg.Fetch) {
		select {
		case a.enough <- struct{}{}:
		default:
		}
	}
}

// sum returns how many requests there were, and which.
func (a *asked) sum() (n int, kinds string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var said []string
	for _, kind := range slices.Sorted(maps.Keys(a.counts)) {
		n += a.counts[kind]
		said = append(said, fmt.Sprint(kmsg.NameForKey(kind), " ", a.counts[kind]))
	}
	return n, strings.Join(said, ", ")
}

// A member that has nothing to do asks the brokers some eight times a second: four heartbeats, so that a rebalance is
// learnt of soon, and fetches that wait there for a second or two. A slow machine asks less often, so that the bound
// holds on any.
func TestIdleAsksSeldom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.setup.Params.SessionTimeout = DefaultParams().SessionTimeout
	w.produce(20, 1)
	a := &asked{counts: map[int16]int{}, enough: make(chan struct{})}
	m := w.start(func(s *Setup) { s.Kafka = append(s.Kafka, kgo.WithHooks(a)) })
	w.settled()
	awaitFetches(t, a, 6) // those that were under way, and some of rest
	before, _ := a.sum()
	begun := time.Now()
	const fetches = 15
	awaitFetches(t, a, fetches)
	n, kinds := a.sum()
	took := time.Since(begun)
	const perSecond, once = 10, 20 // once: lags are read each ten seconds, and metadata after a start
	if most := once + int(perSecond*took.Seconds()); n-before > most {
		t.Errorf("%d requests in %v, and not %d at most; since the start: %s", n-before, took, most, kinds)
	}
	if most := 4 + int(4*took.Seconds()); fetches > most { // two sessions and a follower
		t.Errorf("%d fetches in %v, and not %d at most: they do not wait", fetches, took, most)
	}
	w.ended(m)
}

func awaitFetches(t *testing.T, a *asked, n int) {
	t.Helper()
	patience := time.NewTimer(time.Minute)
	defer patience.Stop()
	for range n {
		select {
		case <-a.enough:
		case <-patience.C:
			t.Fatal("the member fetches no more")
		}
	}
}
