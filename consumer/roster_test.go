package consumer

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/unecho/unecho/index/entry"
)

// TestRoster: a member tells who is in the group and what each reads, and asks Kafka seldom.
func TestRoster(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.send(w.documents(30, 1)...)
	early, err := New(w.setup)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := early.Roster(w.context()); err != nil || !r.At.IsZero() {
		t.Errorf("before it runs: %+v, %v", r, err)
	}
	m := w.start()
	w.settled()
	dealt := func(g *kfake.GroupInfo) bool { // the first rebalance of several may leave a partition with nobody
		sum := 0
		if g != nil && g.State == "Stable" && len(g.Members) == w.setup.Params.Sessions {
			for _, m := range g.Members {
				sum += m.NumAssigned()
			}
		}
		return sum == 3
	}
	if _, err := w.cluster.WaitGroupInfo(w.context(), w.setup.Params.Group, dealt); err != nil {
		t.Fatal(err)
	}
	r, err := m.Roster(w.context())
	if err != nil || r.State != "Stable" || len(r.Members) != w.setup.Params.Sessions {
		t.Fatalf("Roster = %+v, error %v; want a stable group of %d members", r, err, w.setup.Params.Sessions)
	}
	partitions := map[entry.PartitionName]bool{}
	for _, s := range r.Members {
		if s.Process == "" || s.Process != m.Stats().Member || s.Host == "" {
			t.Errorf("a session of %+v", s)
		}
		for _, p := range s.Partitions {
			partitions[p] = true
		}
	}
	if len(partitions) != 3 {
		t.Errorf("partitions %v", partitions)
	}
	if again, err := m.Roster(w.context()); err != nil || again.At != r.At {
		t.Errorf("asked again at once: %v, %v", again.At, err)
	}
	w.ended(m)
	w.audited()
}
