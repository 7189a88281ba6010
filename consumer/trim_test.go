package consumer

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/sink"
)

// Trimming fails, before and after it takes effect. The failure is counted, and not as one of the snapshot. The stream
// goes on, the next snapshot trims, and a member that then comes back misses nothing.
func TestTrimFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.setup.Snapshot.For = snapshot.ByAll
	m := w.start(named("m"), rarely)
	w.produce(50, 80)
	w.settled()
	k := member.NewKeeper(m.follower(), m.setup.Store, m.setup.Snapshot, "m")
	trim := failing{name: "trim", key: kmsg.DeleteRecords}
	for _, c := range []comes{
		before(goesOn, errs{kerr.KafkaStorageError, kerr.UnknownServerError, kerr.TopicAuthorizationFailed, cut}),
		after(goesOn, errs{kerr.RequestTimedOut, kerr.UnknownServerError, cut}),
	} {
		for i, err := range c.errs {
			w.snapshotBy(k, uint64(81+10*i)) // now there is something to trim
			h, failed := w.inject(m.network, &trim, err, c.done), m.Stats().TrimErrs
			w.snapshotBy(k, uint64(82+10*i))
			if h.wait(w.context()) != nil || err != cut && m.Stats().TrimErrs != failed+1 || m.Stats().SnapshotErrs != 0 {
				t.Errorf("%s, done %v: %d failures are counted, %d before, and %d of snapshots", err.Message, c.done,
					m.Stats().TrimErrs, failed, m.Stats().SnapshotErrs)
			}
			h.remove()
			w.snapshotBy(k, uint64(83+10*i))
			if begins, second := w.cluster.PartitionInfo("unecho.journal", 0).LogStartOffset,
				w.snapshots()[1]; begins != second-1 {
				t.Errorf("%s, done %v: the journal begins at %d, the second newest snapshot is at %d", err.Message, c.done, begins, second)
			}
		}
	}
	w.ended(m)
	again := w.start(named("m"), rarely)
	w.produce(50, 99)
	w.settled()
	w.eachOnce(m, again)
}

// snapshotBy has a keeper write a snapshot of some more documents.
func (w *world) snapshotBy(k *member.Keeper, seed uint64) {
	w.t.Helper()
	w.produce(20, seed)
	w.settled()
	k.Take(w.context())
}

// counted waits until members have counted all documents. They are committed a moment before.
func (w *world) counted(members ...*running) (unique, duplicate uint64) {
	w.t.Helper()
	w.becomes("not all are counted", func() bool {
		unique, duplicate = 0, 0
		for _, m := range members {
			unique, duplicate = unique+m.Stats().Unique, duplicate+m.Stats().Duplicate
		}
		return unique+duplicate >= uint64(w.total)
	})
	return unique, duplicate
}

// eachOnce checks that each document that members forwarded came out once. It is for a journal that is trimmed and
// cannot be replayed.
func (w *world) eachOnce(members ...*running) {
	w.t.Helper()
	unique, duplicate := w.counted(members...)
	seen := map[string]bool{}
	for _, r := range slices.Concat(w.outputs("news.unique", int(unique)), w.outputs("news.duplicate", int(duplicate))) {
		if source := headerOf(r, sink.HeaderSource); seen[source] {
			w.t.Errorf("%s came out twice", source)
		} else {
			seen[source] = true
		}
	}
	if len(seen) != w.total {
		w.t.Errorf("%d documents sent, %d came out", w.total, len(seen))
	}
}
