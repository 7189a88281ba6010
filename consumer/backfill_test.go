package consumer

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// history sends n documents to chosen partitions. Each partition has times of its own, some of them late, missing, or
// in the future.
func (w *world) history(n int, partitions int32, apart time.Duration) {
	w.t.Helper()
	w.producer = w.client(kgo.DefaultProduceTopic("news"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	r := rand.New(rand.NewPCG(5, 5))
	start := time.Now().Add(-90 * 24 * time.Hour)
	records := w.documents(n, 3)
	for i, rec := range records {
		rec.Partition = r.Int32N(partitions)
		at := start.Add(time.Duration(rec.Partition)*apart + time.Duration(i)*time.Second)
		switch r.IntN(20) {
		case 0:
			at = at.Add(-time.Hour)
		case 1:
			at = time.UnixMilli(1)
		case 2:
			at = time.Now().Add(24 * time.Hour)
		case 3:
			rec.Value = []byte{0xff, 0xfe, 0xfd} // it is rejected
		}
		rec.Timestamp = at
	}
	w.send(records...)
}

// configure changes a setting of a topic.
func (w *world) configure(topic, key, value string) {
	w.t.Helper()
	if _, err := kadm.NewClient(w.client()).
		AlterTopicConfigs(w.context(), []kadm.AlterConfig{{Name: key, Value: &value}}, topic); err != nil {
		w.t.Fatal(err)
	}
}

// plan is a backfill of all that was sent but the first and the last documents of each partition.
func (w *world) plan(order protocol.Order, partitions int32) *protocol.Plan {
	w.t.Helper()
	topics, err := kadm.NewClient(w.client()).ListTopics(w.context(), "news")
	if err != nil {
		w.t.Fatal(err)
	}
	plan := &protocol.Plan{Order: order, Fixed: time.Now().UnixMilli()}
	for p := range partitions {
		from, to := min(3, w.sent[p]), w.sent[p]
		if to > 20 {
			to -= 7
		}
		plan.Ranges = append(plan.Ranges, protocol.Range{
			Topic:  "news",
			Source: entry.Source{Topic: topics["news"].ID, Partition: p}, From: from, To: to,
		})
	}
	return plan
}

// job is the setup of a member of a backfill.
func job(name string, plan *protocol.Plan) func(*Setup) {
	return func(s *Setup) {
		s.Plan, s.Params.Group = plan, name
		s.Index.Duplicates.Remember.Clock = "event"
		s.Journal.Topic, s.Sources[0].Reading.Reject = "", []string{"invalid_encoding", "missing_field"}
		s.Sink.Unique.Topic, s.Sink.Duplicate.Topic, s.Sink.Rejected.Topic = name+".unique", name+".duplicate", name+".rejected"
	}
}

// jobOutputs reads the outputs of a job: for each source document all that was forwarded of it.
func (w *world) jobOutputs(name string, n int64) map[string]string {
	w.t.Helper()
	got := map[string]string{}
	for _, output := range []string{"unique", "duplicate", "rejected"} {
		w.read(name+"."+output, func(r *topic.Record) {
			source := r.Header(sink.HeaderSource)
			if was, twice := got[source]; twice {
				w.t.Errorf("%s came out twice: %s", source, was)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "%s/%d %s %q %x", output, r.Partition, r.Time.UTC(), r.Key, r.Value)
			for _, h := range r.Headers {
				fmt.Fprintf(&b, " %s=%q", h.Key, h.Value)
			}
			got[source] = strings.ReplaceAll(b.String(), name, "JOB")
		})
	}
	if int64(len(got)) != n {
		w.t.Errorf("%s: %d documents came out of %d", name, len(got), n)
	}
	return got
}

func (w *world) finished(m *running, plan *protocol.Plan) {
	w.t.Helper()
	select {
	case <-m.ended:
	case <-w.context().Done():
		w.t.Fatalf("the backfill does not end: %+v, group %+v", m.Backfill(), w.cluster.GroupInfo(m.setup.Params.Group))
	}
	if m.err != nil {
		w.t.Fatalf("the backfill ends with error %v, want none", m.err)
	}
	if p := m.Backfill(); !p.Finished || p.Done != plan.Documents() || p.Tally.Documents() != plan.Documents() {
		w.t.Errorf("it ends with %+v of %d documents", p, plan.Documents())
	}
}

// A backfill forwards its range, no more and no less, counts what it forwarded, and ends by itself. Started again, it
// ends at once.
func TestBackfill(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]protocol.Order{"time": protocol.ByPlace, "arrival": protocol.ByArrival} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			w.history(2000, 4, time.Minute)
			plan := w.plan(order, 4)
			m := w.launch(job("job", plan))
			w.finished(m, plan)
			tally := map[string]int64{}
			for _, v := range w.jobOutputs("job", plan.Documents()) {
				output, _, _ := strings.Cut(v, "/")
				tally[output]++
			}
			p := m.Backfill().Tally
			if want := map[string]int64{"unique": p.Unique, "duplicate": p.Duplicate, "rejected": p.Rejected}; !maps.Equal(tally,
				want) || p.Duplicate == 0 || p.Rejected == 0 {
				t.Errorf("came out %v, counted %v", tally, want)
			}
			job("job", plan)(&w.setup)
			if report := w.audit(); !report.OK() || int64(report.Records) != plan.Documents() {
				t.Errorf("%d documents in the plan, %s", plan.Documents(), report.String())
			}
			w.finished(w.launch(), plan)
			w.jobOutputs("job", plan.Documents())
		})
	}
}

// A backfill that keeps old documents in files forwards what one does that has all in memory.
func TestBackfillInFiles(t *testing.T) {
	t.Parallel()
	w, directory := remembering(t, 2500)
	w.history(4000, 4, time.Minute)
	plan := w.plan(protocol.ByPlace, 4)
	slowly := func(s *Setup) { s.MaxRate = 2000 } // so that segments lie in files before their copies come
	inFiles, inMemory := w.launch(job("files", plan), ofFiles(directory), slowly), w.launch(job("memory", plan))
	w.finished(inFiles, plan)
	w.finished(inMemory, plan)
	if got, want := w.jobOutputs("files", plan.Documents()), w.jobOutputs("memory", plan.Documents()); !maps.Equal(got, want) {
		t.Error("what is forwarded differs")
	}
	if inFiles.replicas.FileReads.Load() == 0 || inMemory.replicas.FileReads.Load() > 0 {
		t.Error("no record was read of a file")
	}
}

// A rate bounds what is judged, and a slow backfill stops soon.
func TestBackfillRate(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]protocol.Order{"time": protocol.ByPlace, "arrival": protocol.ByArrival} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const rate = 100
			w := newWorld(t, 2)
			w.history(1000, 2, time.Minute)
			plan := w.plan(order, 2)
			began := time.Now()
			m := w.launch(job("slow", plan), func(s *Setup) { s.MaxRate = rate })
			for now := int64(0); now < 2*rate; {
				if err := retry.Pause(w.context(), 20*time.Millisecond); err != nil {
					t.Fatalf("it stands still: %+v", m.Backfill())
				}
				now = m.Backfill().Done
				if most := rate * (time.Since(began).Seconds() + 0.5); float64(now) > most {
					t.Fatalf("%d documents are judged after %v, want at most %.0f", now, time.Since(began), most)
				}
			}
			m.cancel()
			w.await("a backfill that was told to stop goes on", m.ended)
			if done := m.Backfill().Done; m.err != nil || done >= plan.Documents() {
				t.Errorf("it stops with %v after %d documents; want no error, and less than %d", m.err, done, plan.Documents())
			}
		})
	}
}

// A batch that cannot be unpacked ends a backfill whose range has it, and is nothing to one whose range ends before it.
func TestBackfillWithABatchThatCannotBeUnpacked(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]protocol.Order{"time": protocol.ByPlace, "arrival": protocol.ByArrival} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := bounded(t, 2)
			w.drop("news", 0, w.zeros(1, 100, kgo.CodecLz4))
			w.drop("news", 0, w.zeros(4<<20/256+1, 0, kgo.CodecGzip))
			w.neighbour(20)
			w.sent = map[int32]int64{0: 1, 1: 20}
			before := w.plan(order, 2)
			before.Ranges[0].From, before.Ranges[1].From = 0, 0
			w.finished(w.launch(job("before", before)), before)
			within := w.plan(order, 2)
			within.Ranges[0].From, within.Ranges[0].To = 0, 2
			m := w.launch(job("within", within))
			w.refusedBy(m, "a batch of news/0, from offset 1 ")
			if stopped := new(StopError); !errors.As(m.err, &stopped) {
				t.Errorf("it ends with a %T", m.err)
			}
		})
	}
}

// A backfill ends although compaction has deleted the end of its range, and nothing that could be read follows.
func TestBackfillOfACompactedEnd(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]protocol.Order{"time": protocol.ByPlace, "arrival": protocol.ByArrival} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2, kfake.BrokerConfigs(map[string]string{
				"group.initial.rebalance.delay.ms": "0",
				"log.cleaner.backoff.ms":           "3600000",
			}))
			w.configure("news", "cleanup.policy", "compact")
			w.configure("news", "delete.retention.ms", "0")
			w.producer = w.client(kgo.DefaultProduceTopic("news"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
			for i, rec := range w.documents(40, 3) {
				rec.Key, rec.Partition = fmt.Append(nil, i), int32(i%2)
				w.send(rec)
			}
			for i := 10; i < 20; i += 2 {
				w.send(&kgo.Record{Key: fmt.Append(nil, i)})
			}
			w.begins("open", &kgo.Record{Topic: "news", Key: []byte("open"), Value: []byte("never seen")})
			plan := w.plan(order, 2)
			for i := range plan.Ranges {
				plan.Ranges[i].From, plan.Ranges[i].To = 0, w.sent[int32(i)]
			}
			for range 2 { // once, kfake takes tombstones for the last records of their keys
				w.cluster.Compact()
			}
			m := w.launch(job("job", plan))
			w.await("the backfill ends", m.ended)
			if p := m.Backfill(); m.err != nil || !p.Finished || p.Tally.Documents() != 35 {
				t.Errorf("the backfill ends with error %v and progress %+v; want no error, and 35 documents done", m.err, p)
			}
		})
	}
}

// A topic gets more partitions while it is replayed. Whoever goes on replays those of the plan, into outputs as they
// are.
func TestBackfillOfAGrownTopic(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.history(400, 2, time.Second)
	plan := w.plan(protocol.ByPlace, 2)
	slow := func(s *Setup) { s.MaxRate, s.Params.DrainTimeout = 100, 0 }
	m := w.launch(job("job", plan), slow)
	w.becomes("it has begun", func() bool { return m.Backfill().Done > 0 })
	m.kill()
	w.widen("news", 4)
	w.finished(w.launch(job("job", plan), func(s *Setup) { s.Sink.Create.Enabled = false }), plan)
	w.jobOutputs("job", plan.Documents())
}

// The first partition of a plan has no leader, and nothing to replay: the others are replayed.
func TestBackfillWithoutTheFirstLeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.history(200, 2, time.Second)
	plan := w.plan(protocol.ByPlace, 2)
	plan.Ranges[0].To = plan.Ranges[0].From
	leaderless := w.leaderless(0)
	m := w.launch(job("job", plan))
	w.becomes("the others are replayed", func() bool { return m.Backfill().Done == plan.Documents() })
	leaderless.Remove()
	w.finished(m, plan)
}

// Sessions are faster than the feeder, and pause their partitions again and again. What the client drops then takes
// no room for ever.
func TestBackfillOfASlowFeeder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.configure("news", "max.message.bytes", "1048576")
	w.history(20_000, 2, time.Minute)
	plan := w.plan(protocol.ByPlace, 2)
	m := w.launch(job("job", plan), func(s *Setup) {
		s.MaxRate, s.Params.MaxBatchBytes, s.Params.FetchBytes = 4000, 4<<20, 1<<20
	})
	w.finished(m, plan)
}
