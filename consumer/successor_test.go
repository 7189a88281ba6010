package consumer

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/protocol"
)

// A group whose unique documents are all older than the window is taken over from like any other: its successor has
// nothing to bring, and begins.
func TestHandoverOfWhatIsTooOld(t *testing.T) {
	t.Parallel()
	w, _ := older(t, 30, func(s *Setup) { s.Index.Duplicates.Remember.Age = time.Second })
	w.launch(named("old"))
	w.settled()
	time.Sleep(2 * time.Second) // the markers of its transactions are too old as well
	next := w.launch(w.successor("next"))
	w.becomesFilled(next)
	w.handsOver(w.handover("next", false))
	w.becomes("it forwards", func() bool {
		d, filled, err := dutyOf(next.follower())
		return err == nil && filled && d.Kind == protocol.Forwards
	})
}

// What a group was filled with by hand, and is gone since, holds up no successor: also not one that has its name.
func TestSuccessorOfFilesThatAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	files := backfill.FillOf("next")
	w.create(files, 1, nil)
	w.producer = w.client(kgo.DefaultProduceTopic(files))
	w.send(w.documents(20, 9)...)
	w.sent, w.total = map[int32]int64{}, 0
	if _, _, err := w.fill(w.context(), backfill.Asked{Topics: []string{files}}); err != nil {
		t.Fatal(err)
	}
	w.producer = w.client(kgo.DefaultProduceTopic("news"))
	w.launch(named("old"))
	w.produce(50, 1)
	w.settled()
	w.deletes(files)
	w.becomesFilled(w.launch(w.successor("next")))
}

// Others may write to the same topic of unique documents. What the old group has committed there behind a transaction of
// theirs is brought as well, before the new group judges.
func TestHandoverWaitsForTransactionsOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(100, 1)
	w.launch(named("old"))
	w.settled()
	next := w.launch(w.successor("next"))
	w.becomesFilled(next)
	theirs := w.documents(2, 77)
	for p, r := range theirs {
		r.Topic, r.Headers, r.Partition = "news.unique", nil, int32(p)
	}
	end := w.begins("open", theirs...)
	w.produce(200, 2)
	w.settled()
	w.handsOver(w.handover("next", false))
	end(kgo.TryCommit)
	w.produce(200, 2) // copies of what stands behind the transaction
	w.committedBy("next")
	w.eachTextOnce("news.unique")
}

// A successor has a group of its own.
func TestSuccessorOfItself(t *testing.T) {
	p := DefaultParams()
	p.Group, p.Succeeds = "same", "same"
	if m := p.Validate(); len(m) != 1 || !strings.Contains(m[0].String(), "is this group itself") {
		t.Errorf("the same group: %v", m)
	}
}

// A successor that reads other topics than the group that it follows says so when it starts, and not before a handover.
func TestSuccessorOfOtherSourcesSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	const warning = "the followed group reads other topics: this group cannot take over from it"
	w.create("blogs", 1, nil)
	w.produce(50, 1)
	w.launch(named("old"))
	w.settled()
	said := w.logged()
	w.becomesFilled(w.launch(w.successor("next")))
	if said.has(warning) {
		t.Error("it is said of the same topics, too")
	}
	w.launch(w.successor("other"), func(s *Setup) { s.Sources[0].Topics = []string{"news", "blogs"} })
	w.becomes("said", func() bool { return said.has(warning) && said.has(`"theirs":["news"]`) })
}

// A successor remembers what the group before it found unique under an earlier routing as well.
func TestSuccessorRemembersWhatWentElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(100, 1)
	m := w.launch(named("old"))
	w.settled()
	w.ended(m)
	w.reroute(func(s *Setup) { s.Sink.Unique.Topic = "fresh" })
	w.setup.Sink.Unique.Topic = "fresh"
	w.launch(named("old"))
	w.produce(100, 2)
	w.settled()
	next := w.launch(w.successor("next"))
	w.becomesFilled(next)
	if got, want := next.Stats().Index.Documents, len(w.wentTo("news.unique", "fresh")); got != want {
		t.Errorf("%d documents are remembered, want %d", got, want)
	}
}
