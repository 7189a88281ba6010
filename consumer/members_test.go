package consumer

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// committed waits until the group has committed n documents in all.
func (w *world) committed(n int64) {
	w.t.Helper()
	_, err := w.cluster.WaitGroupInfo(w.context(), w.setup.Params.Group, func(g *kfake.GroupInfo) bool {
		if g == nil {
			return n == 0
		}
		sum := int64(0)
		for _, c := range g.Commits["news"] {
			sum += c.Offset
		}
		return sum >= n
	})
	if err != nil {
		w.t.Fatalf("%d documents are not committed: %v", n, err)
	}
}

func named(name string) func(*Setup) { return func(s *Setup) { s.Params.Member = name } }

// Three processes with two sessions each; one is killed midway and comes back.
func TestThreeMembersOneKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 8)
	w.setup.Params.PollRecords = 250
	const total = 20_000
	w.produce(total, 2)
	w.start(named("m0"))
	w.start(named("m2"))
	m := w.start(named("m1"))
	w.committed(total / 4)
	m.kill()
	w.committed(total / 2)
	w.start(named("m1"))
	w.settled()
	began := time.Now()
	t.Log(w.audited(), time.Since(began))
}
