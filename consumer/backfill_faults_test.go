package consumer

import (
	"maps"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/protocol"
)

// Brokers that are lost midway, that do not answer for a while, or whose disks are full, change nothing of what a
// backfill forwards.
func TestBackfillThroughFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.history(4000, 4, time.Minute)
	plan := w.plan(protocol.ByPlace, 4)
	w.finished(w.launch(job("calm", plan)), plan)
	want := w.jobOutputs("calm", plan.Documents())

	m := w.launch(job("tried", plan), func(s *Setup) {
		s.Params.PollRecords = 50
		s.MaxRate = 1000 // so that it is not done before the last fault, however fast the machine is
	})
	disk := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.KafkaStorageError, Count: 20})
	met := map[kmsg.Key]chan struct{}{}
	lose := func(kind kmsg.Key, l loss) func() {
		l.met = make(chan struct{})
		met[kind] = l.met
		return func() { m.network.lose(kind, l) }
	}
	faults := []func(){
		lose(kmsg.Produce, loss{count: 5}), lose(kmsg.Fetch, loss{count: 10}),
		lose(kmsg.TxnOffsetCommit, loss{count: 3, unsent: true}), lose(kmsg.EndTxn, loss{count: 2}),
		func() {
			m.network.freeze()
			time.AfterFunc(300*time.Millisecond, m.network.thaw)
		},
	}
	stands := w.context()
	for i, fault := range faults {
		for m.Backfill().Done < plan.Documents()*int64(i+1)/int64(len(faults)+3) {
			select {
			case <-time.After(2 * time.Millisecond):
			case <-m.ended:
				t.Fatalf("before fault %d it ended: %v", i, m.err)
			case <-stands.Done():
				t.Fatalf("before fault %d it stands still: %+v", i, m.Backfill())
			}
		}
		fault()
	}
	w.finished(m, plan)
	if disk.Hits() != 20 {
		t.Errorf("the disk was full for %d requests", disk.Hits())
	}
	for kind, met := range met {
		select {
		case <-met:
		default:
			t.Errorf("no %s was lost", kind.Name())
		}
	}
	got := w.jobOutputs("tried", plan.Documents())
	if !maps.Equal(got, want) {
		t.Error("the faults have changed what came out")
	}
}
