package doctor

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/index"
)

// costs finds advice that costs memory or documents where it is wrong.
var costs = regexp.MustCompile(`--accept-|--reset-offsets|begin anew| abort `)

// Whatever Kafka does not answer is told as that. No advice that costs something rests on it.
func TestNothingRestsOnAnError(t *testing.T) {
	faults := map[string]kfake.Fault{}
	for _, topic := range []string{"news", "news.unique", "news.duplicate", "news.rejected", "unecho.journal"} {
		for _, key := range []kmsg.Key{kmsg.Metadata, kmsg.ListOffsets, kmsg.DescribeConfigs, kmsg.DescribeProducers} {
			if key == kmsg.ListOffsets && strings.HasPrefix(topic, "news.") || key == kmsg.DescribeProducers && topic == "unecho.journal" {
				continue // the doctor does not ask that
			}
			f := kfake.Fault{Keys: []kmsg.Key{key}, Topic: topic}
			if key == kmsg.DescribeConfigs {
				f.Topic, f.Resource = "", topic
			}
			faults[key.Name()+" of "+topic] = f
		}
	}
	for _, key := range []kmsg.Key{kmsg.DescribeGroups, kmsg.OffsetFetch, kmsg.ListTransactions, kmsg.DescribeTransactions} {
		faults[key.Name()] = kfake.Fault{Keys: []kmsg.Key{key}}
	}
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			w.well()
			w.open("unecho/unecho-0-s0")
			f.Err, f.Count = kerr.UnknownServerError, -1
			h := w.cluster.Fault(f)
			report := w.run()
			if h.Hits() == 0 {
				t.Error("the doctor does not ask that, so nothing was tried")
			}
			got := lines(report)
			if report.Healthy {
				t.Errorf("an error is no problem:\n%s", got)
			}
			if costs.MatchString(got) || strings.Contains(got, "not allowed") {
				t.Errorf("advice rests on an error:\n%s", got)
			}
		})
	}
}

// What one topic does not tell hides nothing of the others.
func TestErrorOfATopicHidesNoOther(t *testing.T) {
	w := newWard(t)
	w.well()
	w.alter("unecho.journal", "retention.ms", "1000")
	w.remove("news.rejected")
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: "news.unique", Err: kerr.TopicAuthorizationFailed, Count: -1})
	got := lines(w.run())
	for _, want := range []string{
		"note topics: not allowed to look: cannot describe topic news.unique",
		"ok topics: output news.duplicate: 2 partitions", "note topics: output news.rejected does not exist",
		"problem topics: topic unecho.journal: retention.ms is 1000", "ok group: 1 of 2 partitions begun",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q, got\n%s", want, got)
		}
	}
}

// One broker that does not know the journal, as one that has just started, proves nothing. Neither does a journal that
// cannot be seen while members are at work.
func TestJournalGoneNeedsTwoProofs(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*ward)
		want string
		gap  bool
	}{
		"deleted":               {func(w *ward) { w.remove("unecho.journal") }, "problem group: offsets are committed, and there is no journal", true},
		"unknown to one broker": {func(w *ward) { w.forgets("unecho.journal") }, "note group: some brokers know journal unecho.journal, and some do not", false},
		"members at work":       {func(w *ward) { w.join(); w.remove("unecho.journal") }, "nothing may be given up while the group has 1 session", false},
		"a group that does not answer": {func(w *ward) {
			w.remove("unecho.journal")
			w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeGroups}, Err: kerr.UnknownServerError, Count: -1})
		}, "problem group: cannot look", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			w.well()
			c.do(w)
			got := lines(w.run())
			if !strings.Contains(got, c.want) || strings.Contains(got, "--accept-journal-gap") != c.gap {
				t.Errorf("want %q and advice to give up what is remembered: %v, got\n%s", c.want, c.gap, got)
			}
		})
	}
}

// forgets has the doctor's first question about a topic answered by a broker that does not know it.
func (w *ward) forgets(topic string) {
	w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Metadata}, Topic: topic, Err: kerr.UnknownTopicOrPartition, Count: 2,
	})
}

// A member that takes a snapshot and trims the journal while the doctor looks makes no finding, and neither does one
// that commits.
func TestSecondLook(t *testing.T) {
	t.Run("trimmed meanwhile", func(t *testing.T) {
		w := newWard(t)
		w.well()
		old := w.in.Snapshots
		w.append(&index.Forget{Header: w.header()})
		w.trim("unecho.journal", 0, 4)
		looks := 0
		w.in.after = func() {
			if looks++; looks == 1 {
				w.snapshot()
			}
		}
		w.in.Snapshots = old
		if got := lines(w.run()); looks == 0 || costs.MatchString(got) || !strings.Contains(got, "ok snapshots: the newest is") {
			t.Errorf("%d second looks, got\n%s", looks, got)
		}
	})
	t.Run("offset set right meanwhile", func(t *testing.T) {
		w := newWard(t)
		w.well()
		w.commit(0, 9, "")
		looks := 0
		w.in.after = func() {
			looks++
			w.commit(0, 2, "")
		}
		if got := lines(w.run()); looks != 1 || costs.MatchString(got) {
			t.Errorf("%d second looks, got\n%s", looks, got)
		}
	})
}

// A transaction that no coordinator tells of may be one that this user may not see: no one is told to abort it before
// the longest that Kafka lets a transaction last. One that its coordinator lets last for an hour does not hang before.
func TestTransactionsOfOthers(t *testing.T) {
	producer := func(since time.Duration) *kadm.DescribedProducer {
		return &kadm.DescribedProducer{
			Topic: "news", ProducerID: 7, CurrentTxnStartOffset: 5, LastTimestamp: time.Now().Add(-since).UnixMilli(),
		}
	}
	p := &target{now: time.Now}
	for name, c := range map[string]struct {
		since time.Duration
		told  bool
		abort bool
	}{
		"just begun":       {30 * time.Second, false, false},
		"within the bound": {5 * time.Minute, true, false},
		"beyond the bound": {16 * time.Minute, true, true},
		"none open":        {time.Hour, false, false},
	} {
		d := producer(c.since)
		if name == "none open" {
			d.CurrentTxnStartOffset = -1
		}
		f, told := p.hangs(d)
		if told != c.told || strings.Contains(f.Remedy, " abort ") != c.abort || c.abort && !strings.HasPrefix(f.Remedy, "if no program") {
			t.Errorf("%s: want told %v, abort %v, got %v, %+v", name, c.told, c.abort, told, f)
		}
	}
}

// A transaction that a coordinator knows is never to be aborted by hand, however old its documents say they are. It is told
// of when its time is over, by its coordinator's clock.
func TestTransactionsThatAreCoordinated(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		state   string
		open    time.Duration
		topic   string
		known   bool
		overdue bool
	}{
		"in time":                   {ongoing, 50 * time.Second, "news", true, false},
		"its time is over":          {ongoing, 90 * time.Second, "news", true, true},
		"it is being committed":     {"PrepareCommit", 70 * time.Second, "news", true, false},
		"its commit does not end":   {"PrepareCommit", time.Hour, "news", true, true},
		"its abort does not end":    {"PrepareAbort", time.Hour, "news", true, true},
		"over":                      {"CompleteCommit", time.Hour, "news", false, false},
		"on another topic":          {ongoing, 50 * time.Second, "views", false, false},
		"the coordinator is behind": {ongoing, -time.Hour, "news", true, false},
	} {
		set := kadm.TopicsSet{}
		set.Add(c.topic, 3)
		known := kadm.DescribedTransactions{"someone": {
			TxnID: "someone", State: c.state, TimeoutMillis: 60_000, StartTimestamp: now.Add(-c.open).UnixMilli(), ProducerID: 7, Topics: set,
		}}
		got := coordinated(known, &kadm.DescribedProducer{Topic: "news", Partition: 3, ProducerID: 7})
		if (got != nil) != c.known {
			t.Errorf("%s: a coordinator tells of %v, want %v", name, got, c.known)
		}
		if got == nil {
			continue
		}
		p := &target{now: func() time.Time { return now }}
		f, late := p.overdue(got)
		if late != c.overdue || strings.Contains(f.Remedy, " abort ") || late && f.costs == "" {
			t.Errorf("%s: overdue %v, want %v, without an abort and with a second look: %+v", name, late, c.overdue, f)
		}
		if decided := strings.Contains(f.What, c.state) && strings.Contains(f.Remedy, "restart"); decided != (late && c.state != ongoing) {
			t.Errorf("%s: a state that does not end and a remedy for it are told: %v, in %+v", name, decided, f)
		}
	}
	p := &target{now: func() time.Time { return now }}
	ours := p.ours(kadm.DescribedTransactions{"unecho/a": {
		TxnID: "unecho/a", State: "PrepareAbort", TimeoutMillis: 60_000, StartTimestamp: now.Add(-time.Hour).UnixMilli(),
	}}, "unecho/")
	if len(ours) != 2 || !strings.Contains(ours[0].What, "unecho/a: its transaction is in PrepareAbort") {
		t.Errorf("of ours whose abort does not end the doctor finds %+v, want that first", ours)
	}
}

// That a transaction hangs is told only where every coordinator has answered, and none knows it.
func TestHangingRestsOnAnswers(t *testing.T) {
	unlisted := func(w *ward) {
		w.cluster.ControlKey(kmsg.ListTransactions.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
			w.cluster.KeepControl()
			return req.ResponseKind(), nil, true
		})
	}
	for name, c := range map[string]struct {
		do   func(*ward)
		want string
	}{
		"nobody knows it": {unlisted, " hangs since offset "},
		"a coordinator has it in its list, and does not say more": {func(w *ward) {
			w.cluster.Fault(kfake.Fault{
				Keys: []kmsg.Key{kmsg.DescribeTransactions}, TxnID: "someone", Err: kerr.UnknownServerError, Count: -1,
			})
		}, "problem transactions: cannot look: describe transactional id someone"},
		"a coordinator is away": {func(w *ward) {
			unlisted(w)
			w.must(w.cluster.CreateTopic("__transaction_state", 3, nil))
			w.depose("__transaction_state", 2)
		}, "problem transactions: 1 partitions of __transaction_state have no leader"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			w.well()
			w.open("someone")
			w.later(20 * time.Minute)
			c.do(w)
			got := lines(w.run())
			if !strings.Contains(got, c.want) || strings.Contains(got, " abort ") != (c.want == " hangs since offset ") ||
				strings.Contains(got, "none hangs") {
				t.Errorf("want %q, and advice to abort only where a transaction hangs, got\n%s", c.want, got)
			}
		})
	}
}

// The last record of the journal may be one of which the doctor does not know the clock by heart.
func TestClockOfAnyRecord(t *testing.T) {
	for name, rec := range map[string]index.Record{
		"routing":  &index.Routing{Header: index.Header{Fingerprint: 1, Wall: time.Now().UnixMilli()}, Routes: index.Routes{Number: 1, Text: []byte("{}")}},
		"settings": &index.SettingsChange{Header: index.Header{Fingerprint: 1, Wall: time.Now().UnixMilli()}, Bounds: index.Bounds{Number: 1, Text: []byte("{}")}},
		"no time":  &index.Forget{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			w.well()
			w.append(rec)
			if got := lines(w.run()); !strings.Contains(got, "ok clocks: the clock of the journal's broker is ") {
				t.Errorf("got\n%s", got)
			}
		})
	}
}
