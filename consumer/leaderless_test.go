package consumer

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A partition of the source has no leader, from the start or from some time on. The others are read, the log names the
// partition, and it is read when it has a leader again.
func TestLeaderlessPartition(t *testing.T) {
	t.Parallel()
	const partitions, lost = 8, 3
	for name, begun := range map[string]bool{"at the start": false, "at a restart": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, partitions)
			said := w.logged()
			send := func(round int) {
				for p := range int32(partitions) {
					w.sendTo(p, fmt.Sprintf("document %d of partition %d, which nobody has read before today", round, p))
				}
			}
			send(0)
			if begun {
				w.again()
				w.left()
				send(1)
			}
			leaderless := w.leaderless(lost)
			m := w.start(named("m"))
			w.settledBut(lost)
			m.readLag()
			for _, named := range []string{
				`"topic":"news","partition":3,"message":"partition has no leader`,
				`"partitions":["news/3"],"message":"partitions of the source have no leader`,
			} {
				if !said.has(named) {
					t.Errorf("nobody says %s", named)
				}
			}
			if got := m.Stats(); got.Leaderless != 1 || got.SourceLag != 0 {
				t.Errorf("%d partitions have no leader, want 1; the others lag by %d", got.Leaderless, got.SourceLag)
			}
			leaderless.Remove()
			w.settled()
			w.audited()
		})
	}
}

// All partitions of a session have no leader, as happens while leaders move. There is nothing to read, and the session
// looks for leaders nevertheless.
func TestAllLeaderless(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	said := w.logged()
	w.produce(20, 95)
	moving := w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "news",
		Err: kerr.NotLeaderForPartition, Count: -1,
	})
	w.start(named("m"), sessions(1))
	w.becomes("the session reads nothing", func() bool {
		return said.has(`"partitions":2,`) && said.has(`"partition":0,"message":"partition has no leader`) &&
			said.has(`"partition":1,"message":"partition has no leader`)
	})
	moving.Remove()
	w.settled()
	w.audited()
}

// leaderless takes the leader of a source partition away until the fault is removed.
func (w *world) leaderless(partition int32) *kfake.FaultHandle {
	return w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Metadata, kmsg.ListOffsets, kmsg.Fetch}, Topic: "news", Partitions: []int32{partition},
		Err: kerr.LeaderNotAvailable, Count: -1,
	})
}

// settledBut waits until all partitions but one are committed to their ends.
func (w *world) settledBut(partition int32) {
	w.t.Helper()
	all := w.sent
	defer func() { w.sent = all }()
	w.sent = map[int32]int64{}
	for p, end := range all {
		if p != partition {
			w.sent[p] = end
		}
	}
	w.settled()
}
