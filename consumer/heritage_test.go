package consumer

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/session"
)

func fromUnique(s *Setup) { s.Source.PrimeFrom = session.PrimeFromUnique }

// isPrimed waits until a shadow is primed.
func (w *world) isPrimed(shadow *running) {
	w.t.Helper()
	f := shadow.follower()
	w.becomes("primed", func() bool {
		now := primingOf(f)
		return now.Of != nil && now.Finished
	})
}

// oldFinds has the old group judge n documents, and returns how many of them are unique.
func (w *world) oldFinds(n int) (unique int) {
	w.t.Helper()
	w.produce(n, 1)
	w.launch(named("old"))
	w.settled()
	return len(w.wentTo("news.unique"))
}

// noneAgain holds that no text which was unique before came out as unique once more.
func (w *world) noneAgain(unique int) {
	w.t.Helper()
	if n := len(w.wentTo("news.unique")); n != unique {
		w.t.Errorf("%d of %d texts that were unique before are unique again", n-unique, unique)
	}
}

// A shadow with source.prime_from: unique remembers what the old group found unique, though the source has nothing of
// it any more. A member that comes back does not prime it again.
func TestShadowIsPrimedWithTheUnique(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	unique := w.oldFinds(300)
	w.deleteAll("news")
	shadow := w.launch(w.successor("next"), fromUnique)
	w.isPrimed(shadow)
	w.takesOver(w.takeover("next", false))
	shadow.kill()
	again := w.start(w.successor("next"), fromUnique)
	w.becomes("ready", again.Ready)
	w.produce(300, 1) // the same texts
	w.committedBy("next")
	w.noneAgain(unique)
	if st := again.Stats().Index; st.History != unique {
		t.Errorf("%d documents of history, want %d", st.History, unique)
	}
}

// What the old group forwards while a shadow starts, and before it has joined its group, is primed or judged: its
// copies are duplicates after the takeover.
func TestShadowPrimingLeavesNoHole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(200, 1)
	w.launch(named("old"))
	w.settled()
	joins := w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.JoinGroup}, Group: "next", Err: kerr.CoordinatorLoadInProgress, Count: -1,
	})
	shadow := w.launch(w.successor("next"), fromUnique)
	for i := range uint64(5) {
		if err := joins.Wait(w.context(), 12*int(i+1)); err != nil { // so that time passes
			t.Fatal(err)
		}
		w.produce(50, 2+i)
		w.settled()
	}
	if now := primingOf(shadow.follower()); now.Of != nil {
		t.Error("the range is fixed before the group has begun")
	}
	joins.Remove()
	w.committedBy("next")
	w.isPrimed(shadow)
	unique := len(w.wentTo("news.unique"))
	w.takesOver(w.takeover("next", false))
	w.produce(200, 1) // the same texts
	for i := range uint64(5) {
		w.produce(50, 2+i)
	}
	w.committedBy("next")
	w.noneAgain(unique)
}

// What the old group has committed and nobody can read yet is waited for.
func TestShadowPrimingWaitsForOpenTransactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	unique := w.oldFinds(100)
	open := w.client(kgo.TransactionalID("open"), kgo.DefaultProduceTopic("news.unique"))
	if err := open.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	last := w.documents(1, 2)[0]
	last.Headers = nil
	if err := open.ProduceSync(w.context(), last).FirstErr(); err != nil {
		t.Fatal(err)
	}
	w.deleteAll("news")
	said := w.logged()
	asked := w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "news.unique", Observe: true, Count: -1,
	})
	shadow := w.launch(w.successor("next"), fromUnique)
	if err := asked.Wait(w.context(), 10); err != nil {
		t.Fatal(err)
	}
	if !said.has("will be primed") || said.has("is primed") {
		t.Error("a transaction is open, and is not waited for")
	}
	if err := open.EndTransaction(w.context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	w.isPrimed(shadow)
	if n := shadow.Stats().Index.History; n != unique+1 {
		t.Errorf("%d documents of history, want %d", n, unique+1)
	}
}

// A priming that was interrupted is finished after the takeover, also by a member that names no group to follow any
// more.
func TestShadowPrimingIsFinishedAfterTheTakeover(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	unique := w.oldFinds(300)
	w.deleteAll("news")
	shadow := w.launch(w.successor("next"), fromUnique, func(s *Setup) { s.MaxRate = 40 })
	f := shadow.follower()
	w.becomes("primed in part", func() bool { return primingOf(f).Done > 0 })
	w.committedBy("next")
	shadow.kill()
	if now := primingOf(f); now.Finished {
		t.Fatalf("nothing is left to be primed: %+v", now)
	}
	w.takesOver(w.takeover("next", false))
	said := w.logged()
	alone := func(s *Setup) { s.Params.Succeeds, s.Params.SucceedsJournal = "", "" }
	again := w.start(w.successor("next"), fromUnique, alone)
	w.isPrimed(again)
	if st := again.Stats().Index; st.History != unique || !said.has("was interrupted, and goes on") {
		t.Errorf("%d documents of history, want %d", st.History, unique)
	}
	w.produce(300, 1) // the same texts
	w.committedBy("next")
	w.noneAgain(unique)
}

// A shadow that cannot be primed says why, and what to do: at once if the old group's journal is missing, and once if
// it cannot be read now.
func TestShadowSaysWhyItIsNotPrimed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(50, 1)
	old := w.launch(named("old"))
	w.settled()
	said := w.logged()
	w.launch(w.successor("wrong"), fromUnique, func(s *Setup) { s.Params.SucceedsJournal = "gone.journal" })
	w.becomes("said", func() bool {
		return said.has("group unecho has no journal gone.journal, or declared nothing in it: there is nothing to prime") &&
			said.has("the window is not primed with what the followed group found unique")
	})
	if said.has("trying again") {
		t.Error("a missing journal is asked for again")
	}
	if err := old.stop(); err != nil {
		t.Fatal(err)
	}
	w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "unecho.journal", Err: kerr.LeaderNotAvailable, Count: 2,
	})
	shadow := w.launch(w.successor("next"), fromUnique)
	w.becomes("said", func() bool { return said.has("the window cannot be primed yet: trying again") })
	w.isPrimed(shadow)
}

// A shadow that has nothing to judge, because the group that it follows has committed nothing, says so once.
func TestShadowOfNobodySaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.setup.waited = 10 * time.Second
	const warning = "has committed nothing of the source: there is nothing to judge"
	w.produce(50, 1)
	w.launch(named("old"))
	w.settled()
	said := w.logged()
	w.launch(w.successor("next"))
	w.committedBy("next")
	if said.has(warning) {
		t.Error("it is said of a group at work, too")
	}
	w.launch(w.successor("lost"), func(s *Setup) { s.Params.Succeeds, s.Params.Sessions = "nobody", 1 })
	w.becomes("said", func() bool { return said.has(warning) && said.has(`"group":"nobody"`) })
}

// A shadow that reads other topics than the group that it follows says so when it starts, and not before a takeover.
func TestShadowOfOtherSourcesSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	const warning = "the followed group reads other topics: this group cannot take over from it"
	w.create("blogs", 1, nil)
	w.produce(50, 1)
	w.launch(named("old"))
	w.settled()
	said := w.logged()
	same := w.launch(w.successor("next"))
	w.becomes("ready", same.Ready)
	w.committedBy("next")
	if said.has(warning) {
		t.Error("it is said of the same topics, too")
	}
	w.launch(w.successor("other"), func(s *Setup) { s.Source.Topics = []string{"news", "blogs"} })
	w.becomes("said", func() bool { return said.has(warning) && said.has(`"theirs":["news"]`) })
}
