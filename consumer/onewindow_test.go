package consumer

import (
	"errors"
	"runtime"
	"testing"
	"weak"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index/entry"
)

// TestOneWindowAtATime: while a member restores again, the window before is in memory no more, because a machine with old
// documents in files has no room for two. Its counters stay, it is not ready, and who asks is told that there is no replica.
func TestOneWindowAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	first, k := w.trimmed()
	store := &slow{Store: w.store(), restores: 2, reading: make(chan struct{}), goOn: make(chan struct{})}
	m := w.start(named("m"), rarely, func(s *Setup) { s.Store = store })
	w.await("the first restore", store.reading)
	store.goOn <- struct{}{}
	w.joined(2 * w.setup.Params.Sessions)
	w.produce(100, 700)
	w.settled()
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
