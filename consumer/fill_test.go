package consumer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/snapshot"
)

// past makes n documents of the last hours, each in a partition by its number, and copies of them of now. Every tenth
// is rejected.
func past(n int, partitions int32, ago time.Duration) (documents, copies []*kgo.Record) {
	r := rand.New(rand.NewPCG(77, uint64(ago)))
	begin := time.Now().Add(-ago)
	for i := range n {
		text := []byte(words(r, 25))
		if i%10 == 3 {
			text = []byte{0xff, 0xfe}
		}
		at := begin.Add(time.Duration(i) * ago / time.Duration(n+1))
		documents = append(documents, &kgo.Record{
			Key: fmt.Appendf(nil, "old-%d", i), Value: text,
			Partition: int32(i) % partitions, Timestamp: at,
		})
		copies = append(copies, &kgo.Record{
			Key:   fmt.Appendf(nil, "new-%d", i),
			Value: append(bytes.Clone(text), " edited"...), Partition: int32(i+1) % partitions,
		})
	}
	return documents, copies
}

// older is a world with a topic that is older than the group, which has not begun.
func older(t *testing.T, n int, change ...func(*Setup)) (w *world, copies []*kgo.Record) {
	t.Helper()
	w = newWorld(t, 3)
	w.setup.Sources[0].Reading.Reject, w.setup.Snapshot.Every = []string{"invalid_encoding", "missing_field"}, time.Hour
	for _, f := range change {
		f(&w.setup)
	}
	w.producer = w.client(kgo.DefaultProduceTopic("news"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	old, copies := past(n, 3, 10*time.Hour)
	w.send(old...)
	return w, copies
}

// fill fills the window of the group as the verb does.
func (w *world) fill(ctx context.Context, asked backfill.Asked, change ...func(*Setup)) (before, after Fill, err error) {
	w.t.Helper()
	return w.fillSaying(ctx, asked, func(what string) { w.t.Log(what) }, change...)
}

func (w *world) fillSaying(ctx context.Context, asked backfill.Asked, said func(string), change ...func(*Setup)) (before, after Fill, err error) {
	w.t.Helper()
	setup := w.setup
	setup.Store = w.store()
	for _, f := range change {
		f(&setup)
	}
	p, err := NewFiller(setup, asked, said)
	if err != nil {
		w.t.Fatal(err)
	}
	return p.Run(ctx)
}

// sendCopies sends copies of what the window was filled with, and returns what each of them matched.
func (w *world) sendCopies(copies []*kgo.Record) map[string]string {
	w.t.Helper()
	w.send(copies...)
	w.settled()
	matches := map[string]string{}
	for _, r := range w.outputs("news.duplicate", len(copies)-len(copies)/10) {
		matches[string(r.Key)] = headerOf(r, "unecho-match") + " " + headerOf(r, "unecho-copy")
	}
	return matches
}

// A group whose window was filled with its own topic begins behind that. Copies of what was there are duplicates, and
// name the documents. Nothing of what was there is forwarded. A member that was started meanwhile waits.
func TestFill(t *testing.T) {
	t.Parallel()
	const n = 100
	w, copies := older(t, n)
	before, after, err := w.fill(w.context(), backfill.Asked{})
	if err != nil || before.Number != 0 || !after.Finished || after.Kept != n-n/10 || after.Rejected != n/10 ||
		after.Skipped() != 0 || after.Documents != n-n/10 {
		t.Fatalf("before %+v, after %+v, %v", before, after, err)
	}
	m := w.start()
	w.becomes("ready", m.Ready)
	matches := w.sendCopies(copies)
	for i := range n {
		want := fmt.Sprintf("news/%d/%d 2", i%3, i/3)
		if i%10 == 3 {
			want = ""
		}
		if got := matches[fmt.Sprintf("new-%d", i)]; got != want {
			t.Errorf("copy %d: %q, want %q", i, got, want)
		}
	}
	if report := w.audit(); !report.OK() || report.Records != len(copies) {
		t.Error(report.String())
	}
	if _, _, err := w.fill(w.context(), backfill.Asked{}); !errors.Is(err, backfill.ErrFilled) {
		t.Errorf("the same again: %v", err)
	}
	_, _, err = w.fill(w.context(), backfill.Asked{Topics: []string{"news.unique"}})
	if err == nil || !strings.Contains(err.Error(), "forwards documents already") {
		t.Errorf("a group at work is filled: %v", err)
	}
}

// Two fillers at once, with small records and one that is killed again and again, bring the same as one does. A member
// that was started before is not ready, and reads nothing, until they are done.
func TestFillersAtOnce(t *testing.T) {
	t.Parallel()
	const n = 1500
	w, copies := older(t, n)
	slow := func(s *Setup) { s.MaxRate = 600 }
	both := make(chan error, 2)
	for k := range 2 {
		go func() {
			for tries := 0; ; tries++ {
				ctx, cancel := context.WithTimeout(w.context(), time.Duration(500+150*k)*time.Millisecond)
				if tries > 4 {
					cancel()
					ctx, cancel = context.WithCancel(w.context())
				}
				_, _, err := w.fill(ctx, backfill.Asked{}, slow)
				cancel()
				if err == nil || tries > 4 {
					both <- err
					return
				}
			}
		}()
	}
	w.becomes("the group fills", func() bool {
		d, err := w.readDuty("unecho")
		return err == nil && d.Kind == protocol.Fills
	})
	m := w.start()
	w.becomes("the member waits", func() bool { return strings.Contains(m.Stats().Standing.Trouble, "being filled") || m.Ready() })
	for range 2 {
		if err := <-both; err != nil && !errors.Is(err, backfill.ErrFilled) {
			t.Fatal(err)
		}
	}
	w.becomes("ready", m.Ready)
	if now := fillOf(m.follower()); !now.Finished || now.Kept != n-n/10 || now.Rejected != n/10 || now.Entries != n-n/10 {
		t.Fatalf("after %+v", now)
	}
	if matches := w.sendCopies(copies); len(matches) != n-n/10 {
		t.Errorf("%d copies matched", len(matches))
	}
}

// What a window was filled with is part of a snapshot: a member that restores one reads nothing of the journal before.
func TestFilledRestart(t *testing.T) {
	t.Parallel()
	const n = 60
	w, copies := older(t, n)
	if _, after, err := w.fill(w.context(), backfill.Asked{}); err != nil || after.Kept == 0 {
		t.Fatalf("filling ends with %+v, error %v; want documents kept", after, err)
	}
	m := w.start()
	w.becomes("ready", m.Ready)
	w.ended(m) // with a last snapshot
	m = w.start()
	w.becomes("ready", m.Ready)
	if from := m.follower().From(); from < 5 {
		t.Errorf("the journal is followed from %d: no snapshot was restored", from)
	}
	if matches := w.sendCopies(copies); len(matches) != n-n/10 {
		t.Errorf("%d copies matched", len(matches))
	}
}

// A fill within bounds keeps the newest, and a range that ends before the topic does is read from there on.
func TestFillWithinBounds(t *testing.T) {
	t.Parallel()
	const n, room = 100, 40
	w, _ := older(t, n, func(s *Setup) { s.Index.Duplicates.Remember.Documents = room })
	to, err := backfill.ParseBound("30", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	_, after, err := w.fill(w.context(), backfill.Asked{To: &to})
	if err != nil || after.Kept != 81 || after.Documents != room {
		t.Fatalf("after %+v, %v", after, err)
	}
	m := w.start()
	w.becomes("ready", m.Ready)
	w.settled()
	if got := len(w.wentTo("news.unique", "news.duplicate", "news.rejected")); got != n-90 {
		t.Errorf("%d documents went out, want those behind offset 30 of three partitions: %d", got, n-90)
	}
}

// fillInPart fills the window slowly, and ends when something is brought.
func (w *world) fillInPart() Fill {
	w.t.Helper()
	setup := w.setup
	setup.Store, setup.MaxRate = w.store(), 100
	person, err := NewFiller(setup, backfill.Asked{}, func(string) {})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.context())
	defer cancel()
	ended := make(chan Fill, 1)
	go func() {
		_, after, _ := person.Run(ctx)
		ended <- after
	}()
	w.becomes("something is brought", func() bool { return person.Now().Entries > 0 })
	cancel()
	part := <-ended
	if part.Finished {
		w.t.Fatalf("it was to end half way: %+v", part)
	}
	return part
}

// A group begins behind all that fills have brought of what it reads, whichever of them was the last.
func TestFillOfSomethingElseGoesOn(t *testing.T) {
	t.Parallel()
	const n = 300
	w, _ := older(t, n)
	part := w.fillInPart()
	w.create("archive", 1, nil)
	_, _, err := w.fill(w.context(), backfill.Asked{Topics: []string{"archive"}})
	if err != nil {
		t.Fatal(err)
	}
	m := w.start()
	w.becomes("ready", m.Ready)
	w.settled()
	if got, want := len(w.wentTo("news.unique", "news.duplicate", "news.rejected")), n-int(part.Done); got > want {
		t.Errorf("%d documents are forwarded, want those that were not brought: %d at most", got, want)
	}
}

// A group begins where the range of its fill ends, also if nothing there is young enough, or all was brought by one that
// was killed before it said so.
func TestFillWithNothingYoung(t *testing.T) {
	t.Parallel()
	w, _ := older(t, 30, func(s *Setup) { s.Index.Duplicates.Remember.Age = time.Minute })
	if _, after, err := w.fill(w.context(), backfill.Asked{}); err != nil || after.Entries > 0 {
		t.Fatalf("after %+v, %v", after, err)
	}
	w.start()
	w.produce(10, 1)
	w.settled()
	if n := len(w.wentTo("news.unique", "news.duplicate", "news.rejected")); n != 10 {
		t.Errorf("%d documents are forwarded, want the 10 behind the range", n)
	}
}

// A group that lost its journal goes on where it was, and remembers what it found unique.
func TestFillAfterTheJournalWasLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(200, 1)
	m := w.launch(named("old"))
	w.settled()
	unique := len(w.wentTo("news.unique"))
	w.ended(m)
	w.loseJournal()
	w.stored.Path += ".new"
	fromUnique := backfill.Asked{Topics: []string{"news.unique"}}
	if _, _, err := w.fill(w.context(), fromUnique); err == nil || !strings.Contains(err.Error(), "--accept-journal-gap unecho.journal,") {
		t.Errorf("a journal is lost, and it says: %v", err)
	}
	gap, told := acceptsGap("unecho.journal"), ""
	w.produce(50, 2) // what the group has yet to judge is not remembered before
	if _, _, err := w.fill(w.context(), backfill.Asked{}, gap); err == nil || !strings.Contains(err.Error(), "would leave out what lies between") {
		t.Errorf("it is filled with its source: %v", err)
	}
	_, after, err := w.fillSaying(w.context(), fromUnique, func(what string) { told = what }, gap)
	if err != nil || after.Kept != uint64(unique) {
		t.Fatalf("after %+v, %v; want %d kept", after, err, unique)
	}
	if _, told, _ = strings.Cut(told, "--accept-journal-gap "); told != w.gap() {
		t.Errorf("it says that members need %q, want %q", told, w.gap())
	}
	w.refusedBy(w.launch(hurried, gap), "--accept-journal-gap "+told) // the fill alone accepts no loss
	w.left()
	w.start(acceptsGap(told))
	w.produce(200, 1) // the same texts
	w.settled()
	if n := len(w.wentTo("news.unique", "news.duplicate", "news.rejected")); n != w.total {
		t.Errorf("%d of %d documents went out", n, w.total)
	}
	seen := map[string]bool{}
	w.read("news.unique", func(r *topic.Record) {
		if seen[string(r.Value)] {
			t.Errorf("%q is unique again", r.Value)
		}
		seen[string(r.Value)] = true
	})
}

// A member brings nothing of what a person fills the window with, and says what it waits for.
func TestMemberWaitsForAPerson(t *testing.T) {
	t.Parallel()
	w, _ := older(t, 300)
	part := w.fillInPart()
	m := w.start()
	w.becomes("said", func() bool {
		return strings.Contains(m.Stats().Standing.Trouble, "the group forwards when unecho fill is done")
	})
	time.Sleep(standBy + 2*roundPause)
	if now := fillOf(m.follower()); now.Finished || part.Finished {
		t.Errorf("it brought the rest: %+v after %+v", now, part)
	}
	if _, _, err := w.fill(w.context(), backfill.Asked{}); err != nil {
		t.Fatal(err)
	}
	w.becomes("ready", m.Ready)
}

// A group that was filled, and has lost what it remembered, goes on where it had forwarded to when that is accepted.
func TestFilledMemoryIsLost(t *testing.T) {
	t.Parallel()
	w, _ := older(t, 30)
	if _, _, err := w.fill(w.context(), backfill.Asked{}); err != nil {
		t.Fatal(err)
	}
	m := w.start(named("m"))
	w.produce(20, 1)
	w.settled()
	w.stopped(m)
	w.loseHead()
	w.loseSnapshots()
	again := w.start(named("m"), hurried, acceptsGap(w.gap()))
	w.becomes("ready", again.Ready)
}

// Groups that cannot be filled are refused with what to do.
func TestFillIsRefused(t *testing.T) {
	t.Parallel()
	w, _ := older(t, 10)
	plan := w.plan(0, 3)
	job := w.launch(job("replay", plan))
	w.finished(job, plan)
	_, _, err := w.fill(w.context(), backfill.Asked{},
		func(s *Setup) { s.Params.Group, s.Index.Duplicates.Remember.Clock = "replay", "event" })
	if err == nil || !strings.Contains(err.Error(), "is that of a backfill") {
		t.Errorf("got %v", err)
	}
	w.launch(named("old"))
	w.settled()
	_, _, err = w.fill(w.context(), backfill.Asked{}, w.successor("never"))
	if _, there := w.readDuty("never"); err == nil || !strings.Contains(err.Error(), "its members fill its window") || there == nil {
		t.Errorf("got %v, and its journal is there: %v", err, there)
	}
	next := w.start(w.successor("next"))
	w.becomes("ready", next.Ready)
	if _, _, err = w.fill(w.context(), backfill.Asked{}, w.successor("next")); err == nil ||
		!strings.Contains(err.Error(), "its members fill its window") {
		t.Errorf("got %v", err)
	}
}

var _ snapshot.Store = noSnapshots{}
