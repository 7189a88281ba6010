package consumer

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A replica that lags leaves the group, and joins again when it has caught up.
func TestReplicaLags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	said := w.logged()
	w.setup.Params.MaxLag = 3 * time.Second // a busy machine lags a little
	w.produce(100, 72)
	m := w.start(named("m"))
	w.settled()
	unreadable := w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Fetch}, Topic: "unecho.journal",
		Err: kerr.NotLeaderForPartition, Count: 1 << 30,
	})
	w.produce(100, 73)
	w.left()
	unreadable.Remove()
	w.settled()
	w.until("it does not come back", m.Ready)
	if got := m.Stats().Withdrawals; got != 1 || !said.has("lags behind the journal") {
		t.Errorf("it withdrew %d times, and said so: %v", got, said.has("lags behind the journal"))
	}
	w.audited()
}
