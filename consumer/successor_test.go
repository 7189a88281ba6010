package consumer

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/protocol"
)

// A group whose unique documents are all older than the window is taken over from like any other: its successor has
// nothing to bring, and begins.
func TestTakeoverOfWhatIsTooOld(t *testing.T) {
	t.Parallel()
	w, _ := older(t, 30, func(s *Setup) { s.Index.Window.Age = time.Second })
	w.launch(named("old"))
	w.settled()
	time.Sleep(2 * time.Second) // the markers of its transactions are too old as well
	next := w.launch(w.successor("next"))
	w.becomesFilled(next)
	w.takesOver(w.takeover("next", false))
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
	if err := w.cluster.DeleteTopic(files); err != nil {
		t.Fatal(err)
	}
	w.becomesFilled(w.launch(w.successor("next")))
}

// Others may write to the same topic of unique documents. What the old group has committed there behind a transaction of
// theirs is brought as well, before the new group judges.
func TestTakeoverWaitsForTransactionsOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(100, 1)
	w.launch(named("old"))
	w.settled()
	next := w.launch(w.successor("next"))
	w.becomesFilled(next)
	open := w.client(kgo.TransactionalID("open"), kgo.DefaultProduceTopic("news.unique"))
	if err := open.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	theirs := w.documents(2, 77)
	for p, r := range theirs {
		r.Headers, r.Partition = nil, int32(p)
	}
	if err := open.ProduceSync(w.context(), theirs...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	w.produce(200, 2)
	w.settled()
	w.takesOver(w.takeover("next", false))
	if err := open.EndTransaction(w.context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	w.produce(200, 2) // copies of what stands behind the transaction
	w.committedBy("next")
	w.eachTextOnce("news.unique")
}
