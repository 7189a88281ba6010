package consumer

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/index"
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

// primed is a world with a topic that is older than the group, which has begun at its end.
func primed(t *testing.T, n int, change ...func(*Setup)) (w *world, m *running, copies []*kgo.Record) {
	t.Helper()
	w = newWorld(t, 3)
	w.setup.Source.Start, w.setup.Document.InvalidUTF8, w.setup.Snapshot.Every = "latest", "reject", time.Hour
	for _, f := range change {
		f(&w.setup)
	}
	w.producer = w.client(kgo.DefaultProduceTopic("news"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	old, copies := past(n, 3, 10*time.Hour)
	w.send(old...)
	m = w.start()
	w.becomes("ready", m.Ready)
	return w, m, copies
}

// prime primes the group as the verb does.
func (w *world) prime(ctx context.Context, asked backfill.Asked,
	change ...func(*Setup),
) (before, after Priming, err error) {
	w.t.Helper()
	setup := w.setup
	setup.Store = w.store()
	for _, f := range change {
		f(&setup)
	}
	p, err := NewPrimer(setup, asked, func(what string) { w.t.Log(what) })
	if err != nil {
		w.t.Fatal(err)
	}
	return p.Run(ctx)
}

// sendCopies sends copies of history, and returns how many of them matched, by what they matched.
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

// A group that runs is primed. Copies of what was before it began are duplicates then, and name the documents of
// history. Nothing of history is forwarded.
func TestPrime(t *testing.T) {
	t.Parallel()
	const n = 100
	w, m, copies := primed(t, n)
	before, after, err := w.prime(w.context(), backfill.Asked{})
	if err != nil || before.Number != 1 || before.Done != 0 || !after.Finished || after.Kept != n-n/10 ||
		after.Rejected != n/10 || after.PassedOver() != 0 || after.History != n-n/10 {
		t.Fatalf("before %+v, after %+v, %v", before, after, err)
	}
	if again, _, err := w.prime(w.context(), backfill.Asked{}); err != nil || !again.Finished || again.Number != 1 ||
		again.Entries != after.Entries {
		t.Errorf("again: %+v, %v", again, err)
	}
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
	if report := w.audit(); !report.OK() {
		t.Error(report.String())
	}
	if st := m.Stats(); st.Index.History != n-n/10 {
		t.Errorf("the index is at %+v, want %d documents of history", st.Index, n-n/10)
	}
}

// Two primers at once, with small records and one that is killed again and again, bring the same as one does.
func TestPrimersAtOnce(t *testing.T) {
	t.Parallel()
	const n = 1500
	w, _, copies := primed(t, n)
	slow := func(s *Setup) { s.MaxRate = 600 }
	both := make(chan error, 2)
	for k := range 2 {
		go func() {
			for tries := 0; ; tries++ {
				ctx, cancel := context.WithTimeout(w.context(), time.Duration(200+150*k)*time.Millisecond)
				if tries > 4 {
					cancel()
					ctx, cancel = context.WithCancel(w.context())
				}
				_, _, err := w.prime(ctx, backfill.Asked{}, slow)
				cancel()
				if err == nil || tries > 4 {
					both <- err
					return
				}
			}
		}()
	}
	for range 2 {
		if err := <-both; err != nil {
			t.Fatal(err)
		}
	}
	_, after, err := w.prime(w.context(), backfill.Asked{})
	if err != nil || !after.Finished || after.Kept != n-n/10 || after.Rejected != n/10 || after.Entries != n-n/10 {
		t.Fatalf("after %+v, %v", after, err)
	}
	if matches := w.sendCopies(copies); len(matches) != n-n/10 {
		t.Errorf("%d copies matched", len(matches))
	}
}

// History is part of a snapshot: a member that restores one remembers it without reading the journal before.
func TestPrimedRestart(t *testing.T) {
	t.Parallel()
	const n = 60
	w, m, copies := primed(t, n)
	if _, after, err := w.prime(w.context(), backfill.Asked{}); err != nil || after.Kept == 0 {
		t.Fatalf("priming ends with %+v, error %v; want documents kept", after, err)
	}
	if err := m.stop(); err != nil { // with a last snapshot
		t.Fatal(err)
	}
	m = w.start()
	w.becomes("ready", m.Ready)
	if from := m.follower().From(); from < 5 {
		t.Errorf("the journal is followed from %d: no snapshot was restored", from)
	}
	if matches := w.sendCopies(copies); len(matches) != n-n/10 {
		t.Errorf("%d copies matched", len(matches))
	}
}

// What was judged is never driven out by history, and history is passed over where there is no room, or where the
// group has begun.
func TestPrimeDrivesNothingOut(t *testing.T) {
	t.Parallel()
	const n, room = 100, 40
	w, _, _ := primed(t, n, func(s *Setup) { s.Index.Window.Count = room })
	own, copies := past(30, 3, time.Millisecond)
	for i := range own {
		own[i].Value = append(own[i].Value, " of today"...)
		copies[i].Value = append(bytes.Clone(own[i].Value), " edited"...)
	}
	w.send(own...)
	w.settled()
	end := backfill.End()
	_, after, err := w.prime(w.context(), backfill.Asked{To: &end})
	if err != nil || after.Kept != n-n/10 || after.History != room-27 || after.Judged != 27 {
		t.Fatalf("after %+v, %v", after, err)
	}
	if matches := w.sendCopies(copies); len(matches) != 27 || !strings.HasPrefix(matches["new-0"], "news/0/3") {
		t.Errorf("%v matched", matches)
	}
}

// Groups that cannot be primed are refused with what to do, and nothing is appended.
func TestPrimeRefused(t *testing.T) {
	t.Parallel()
	w, m, _ := primed(t, 10)
	for name, c := range map[string]struct {
		change func(*Setup)
		want   []string
	}{
		"there is none": {
			func(s *Setup) { s.Params.Group = "nobody" },
			[]string{"there is no group nobody", "start the group first"},
		},
		"other settings": {
			func(s *Setup) { s.Settings = []byte(`{"test":2}`) },
			[]string{"other settings", "test: ", "the configuration, and the version"},
		},
		"its journal is gone": {
			func(s *Setup) { s.Journal.Topic = "gone" },
			[]string{"its journal gone is gone", "--set journal.topic"},
		},
	} {
		w.sendOne()
		// a cluster that has just begun has no coordinator at first
		w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable, Count: 6})
		_, _, err := w.prime(w.context(), backfill.Asked{}, c.change)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
	if p := m.follower(); primingOf(p).Number != 0 {
		t.Error("a priming was begun")
	}
	plan := w.plan(0, 3)
	job := w.launch(job("replay", plan))
	w.finished(job, plan)
	_, _, err := w.prime(w.context(), backfill.Asked{},
		func(s *Setup) { s.Params.Group, s.Index.Window.Clock = "replay", "event" })
	if err == nil || !strings.Contains(err.Error(), "is that of a backfill") {
		t.Errorf("got %v", err)
	}
}

// sendOne has the group commit an offset.
func (w *world) sendOne() {
	w.t.Helper()
	w.send(&kgo.Record{Value: []byte("one document that the group judges")})
	w.settled()
}

// Another range is another priming. What is older than history finds no place any more, and the summary says so.
func TestPrimeAnotherRange(t *testing.T) {
	t.Parallel()
	const n = 50
	w, _, _ := primed(t, n)
	bound := func(text string) *backfill.Bound {
		b, err := backfill.ParseBound(text, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return &b
	}
	from, start := bound("-2h"), backfill.Start()
	_, first, err := w.prime(w.context(), backfill.Asked{From: from})
	if err != nil || first.Kept == 0 || first.Kept > n/4 {
		t.Fatalf("priming with the last two hours ends with %+v, error %v; want 1 to %d documents kept", first, err, n/4)
	}
	if _, again, err := w.prime(w.context(), backfill.Asked{From: from}); err != nil || again.Number != 1 {
		t.Errorf("priming with the same range again ends with %+v, error %v; want number 1 again", again, err)
	}
	_, second, err := w.prime(w.context(), backfill.Asked{From: &start})
	if err != nil || second.Number != 2 || second.Kept != 0 || second.TooOld == 0 || second.Duplicate == 0 {
		t.Errorf("priming from the start ends with %+v, error %v; want number 2, none kept, some too old, some duplicates", second, err)
	}
}

var _ snapshot.Store = noSnapshots{}

// A primer without a store reads the journal from its beginning.
func TestPrimeWithoutStore(t *testing.T) {
	t.Parallel()
	w, m, _ := primed(t, 30)
	_, after, err := w.prime(w.context(), backfill.Asked{}, func(s *Setup) { s.Store = nil })
	if err != nil || after.Kept != 27 {
		t.Fatalf("priming without a store ends with %+v, error %v; want 27 documents kept", after, err)
	}
	w.until("the member has it", func() bool {
		var kept uint64
		m.follower().Look(func(r *index.Replica) { kept = r.Primed().Kept })
		return kept == 27
	})
}
