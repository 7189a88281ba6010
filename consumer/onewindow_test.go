package consumer

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
)

// TestOneWindowAtATime: while a member restores again, the window before is in memory no more, because a machine with old
// documents in files has no room for two. Its counters stay, it is not ready, and who asks is told that there is no replica.
func TestOneWindowAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4) // each session has one partition, so each member appends
	first, k := w.trimmed()
	store := &slow{Store: w.store(), restores: 2, reading: make(chan struct{}), goOn: make(chan struct{})}
	m := w.start(named("m"), rarely, func(s *Setup) { s.Store = store })
	t.Cleanup(func() { close(store.goOn) }) // whatever fails, nobody waits
	w.await("the first restore", store.reading)
	store.goOn <- struct{}{}
	w.joined(2 * w.setup.Params.Sessions)
	w.produce(100, 700)
	w.settled()
	w.counted(first, m) // what is committed while the network is frozen is not
	before, window := m.Stats(), weak.Make(m.follower())
	m.network.freeze()
	for seed := range uint64(4) { // the answer that is under way brings the first of these
		w.another(k, 600+seed)
	}
	m.network.thaw()
	w.await("the second restore", store.reading)
	w.becomes("the window before is dropped", func() bool {
		runtime.GC()
		return window.Value() == nil
	})
	now := m.Stats()
	if m.Ready() || now.JournalNext != -1 || now.Index.Documents != 0 {
		t.Errorf("ready %v while it restores, next is %d, %d documents", m.Ready(), now.JournalNext, now.Index.Documents)
	}
	if now.Journal.Records < before.Journal.Records || before.Journal.Records == 0 || now.JournalEnd < before.JournalEnd {
		t.Errorf("while it restores it has appended %+v and the journal's end is %d, and before %+v and %d", now.Journal, now.JournalEnd,
			before.Journal, before.JournalEnd)
	}
	_, lookup := m.Lookup(t.Context(), &entry.Entry{}, 1)
	_, find := m.Find(t.Context(), "news", 0, 0)
	_, _, forget := m.Forget(t.Context(), []string{"news/0/0"}, false, true)
	_, _, answered := m.Answered(nil)
	for _, err := range []error{lookup, find, forget, answered} {
		if !errors.Is(err, member.ErrNoReplica) {
			t.Errorf("who asks meanwhile gets error %v", err)
		}
	}
	if silence := m.NotForwarding(); silence.Other != "" {
		t.Errorf("%s is said to forward in its place", silence.Other)
	}
	store.goOn <- struct{}{}
	w.becomes("it is ready again", m.Ready)
	w.joined(2 * w.setup.Params.Sessions)
	w.eachOnce(first, m)
}

// TestFillerHasOneWindow: the same goes for who fills a window, and falls so far behind that another one has filled it and the
// journal was trimmed.
func TestFillerHasOneWindow(t *testing.T) {
	t.Parallel()
	w, _ := older(t, 1500)
	w.setup.Snapshot.For = snapshot.ByAll
	network, setup := newNetwork(), w.setup
	t.Cleanup(network.sever)
	store := &slow{Store: w.store(), settled: true, restores: 1, reading: make(chan struct{}), goOn: make(chan struct{})}
	setup.Store, setup.MaxRate = store, 200
	setup.Kafka = append(slices.Clone(setup.Kafka), kgo.Dialer(network.dial))
	f, err := NewFiller(setup, backfill.Asked{}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	t.Cleanup(func() { close(store.goOn) })
	go func() {
		_, _, err := f.Run(w.context())
		ended <- err
	}()
	w.becomes("it fills", func() bool { return f.Now().Done > 0 })
	window := weak.Make(f.service.replica.Load())
	network.freeze()
	if _, _, err := w.fill(w.context(), backfill.Asked{}); err != nil {
		t.Fatal(err)
	}
	m := w.start()
	w.becomes("the group forwards", m.Ready)
	k := member.NewKeeper(m.follower(), m.setup.Store, w.setup.Snapshot, "m")
	for seed := range uint64(3) {
		w.another(k, 800+seed)
	}
	network.thaw()
	w.await("it restores again", store.reading)
	w.becomes("the window before is dropped", func() bool {
		runtime.GC()
		return window.Value() == nil
	})
	if now := f.Now(); now.Done != 0 {
		t.Errorf("while it restores it stands at %+v", now)
	}
	store.goOn <- struct{}{}
	if err := <-ended; err != nil && !errors.Is(err, backfill.ErrFilled) {
		t.Errorf("it ends with %v", err)
	}
}
