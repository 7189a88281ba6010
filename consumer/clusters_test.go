package consumer

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// clusterRecord is a record of clusters, as any program reads it.
type clusterRecord struct {
	Original string `json:"original"`
	Copies   uint64 `json:"copies"`
	Newest   string `json:"newest"`
	Journal  string `json:"journal"`
	Offset   int64  `json:"journal_offset"`
	Entry    int32  `json:"journal_entry"`
}

func (c *clusterRecord) position() entry.Position {
	return entry.Position{Offset: c.Offset, Entry: c.Entry}
}

// clustersOf reads the topics of clusters. All are its records, and kept those that compaction never takes away.
func (w *world) clustersOf(topics ...string) (all, kept []clusterRecord) {
	w.t.Helper()
	last := map[string]clusterRecord{}
	for _, name := range topics {
		w.read(name, func(r *topic.Record) {
			var c clusterRecord
			if err := json.Unmarshal(r.Value, &c); err != nil {
				w.t.Fatalf("the record %s of %s is not read: %v", r.Value, name, err)
			}
			key := fmt.Sprintf("%s/%d %s", name, r.Partition, r.Key)
			if had, again := last[key]; again && !had.position().Before(c.position()) {
				w.t.Errorf("of %s, %+v comes after %+v", key, c, had)
			}
			all, last[key] = append(all, c), c
		})
	}
	for _, c := range last {
		kept = append(kept, c)
	}
	return all, kept
}

// tableOf is the table that a reader of clusters has in the end: for each original the record of the greatest position.
// It reports a count that goes back.
func (w *world) tableOf(records []clusterRecord) map[string]clusterRecord {
	w.t.Helper()
	table := map[string]clusterRecord{}
	for _, c := range records {
		had, there := table[c.Original]
		switch {
		case there && !had.position().Before(c.position()):
			continue
		case there && had.Copies >= c.Copies:
			w.t.Errorf("the copies of %s go from %d back to %d", c.Original, had.Copies, c.Copies)
		}
		table[c.Original] = c
	}
	return table
}

// holdClusters holds a topic of clusters against outputs: each copy has one record. Who keeps the greatest position has the
// count and the newest copy of each original, whatever compaction takes away and in whatever order partitions are read.
func (w *world) holdClusters(clusters string, outputs ...string) (copies int) {
	w.t.Helper()
	want, of := map[string]clusterRecord{}, map[string]string{}
	for _, output := range outputs {
		w.read(output, func(r *topic.Record) {
			c := clusterRecord{Original: r.Header(sink.HeaderMatch), Newest: r.Header(sink.HeaderSource)}
			if c.Original == "" {
				return
			}
			if _, err := fmt.Sscan(r.Header(sink.HeaderCopy), &c.Copies); err != nil {
				w.t.Fatal(err)
			}
			c.Copies-- // the original is the first
			of[c.Newest] = fmt.Sprintf("%s %d", c.Original, c.Copies)
			if c.Copies > want[c.Original].Copies {
				want[c.Original] = c
			}
		})
	}
	copies = len(of)
	all, kept := w.clustersOf(clusters)
	for _, c := range all {
		if said := fmt.Sprintf("%s %d", c.Original, c.Copies); of[c.Newest] != said {
			w.t.Errorf("the copy %s of %s has a record too many, or one that says %s", c.Newest, of[c.Newest], said)
		}
		delete(of, c.Newest)
	}
	if len(of) > 0 || len(kept) == len(all) || len(want) < 50 {
		w.t.Errorf("%d copies have no record; of %d records %d are kept, of %d originals", len(of), len(all), len(kept), len(want))
	}
	topics, err := kadm.NewClient(w.client()).ListTopics(w.context(), w.setup.Params.Group+".journal")
	if err != nil {
		w.t.Fatal(err)
	}
	id := topics[w.setup.Params.Group+".journal"].ID
	journal := base64.RawURLEncoding.EncodeToString(id[:])
	rand.Shuffle(len(kept), func(i, k int) { kept[i], kept[k] = kept[k], kept[i] })
	if got := w.tableOf(kept); !maps.EqualFunc(got, want, func(c, d clusterRecord) bool {
		return c.Copies == d.Copies && c.Newest == d.Newest && c.Journal == journal
	}) {
		w.t.Errorf("the table is not that of the outputs: %d originals, want %d", len(got), len(want))
	}
	return copies
}

// Each copy has its record of clusters of the same transaction as its output, though of three members one is killed again
// and again.
func TestClustersUnderKills(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.setup.Sink.Clusters.Topic = "{source}.clusters"
	w.setup.Index.Duplicates.Remember.ReemitEvery, w.setup.Params.PollRecords = time.Second, 100
	const total = 4000
	w.produce(total, 81)
	w.start(named("m0"), sessions(2))
	w.start(named("m2"), sessions(1))
	for range 3 {
		m := w.start(named("m1"))
		w.committed(total / 4)
		m.kill()
	}
	w.settled()
	report := w.audited()
	if copies := w.holdClusters("news.clusters", "news.duplicate", "news.unique"); report.Clusters != copies {
		t.Errorf("of %d copies, %s", copies, report.String())
	}
}

// A backfill writes clusters as the stream does, in whatever order it judges.
func TestClustersOfABackfill(t *testing.T) {
	t.Parallel()
	for _, order := range []protocol.Order{protocol.ByPlace, protocol.ByArrival} {
		t.Run(order.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			w.history(1500, 4, time.Hour)
			plan := w.plan(order, 4)
			job("job", plan)(&w.setup)
			w.setup.Sink.Clusters.Topic = "job.clusters"
			m, n := w.launch(named("m")), w.launch(named("n"))
			w.finished(m, plan)
			w.finished(n, plan)
			report := w.audit()
			if copies := w.holdClusters("job.clusters", "job.duplicate", "job.unique"); !report.OK() || report.Clusters != copies {
				t.Errorf("of %d copies, %s", copies, report.String())
			}
		})
	}
}

// An original of one topic has copies in another. Each source has its own topic of clusters, or both share one: there the
// copies of either have a key, as those of one may be forwarded before earlier ones of the other.
func TestClustersOfTwoTopics(t *testing.T) {
	t.Parallel()
	for template, topics := range map[string][]string{"{source}.clusters": {"news.clusters", "blog.clusters"}, "groups": {"groups"}} {
		t.Run(template, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.create("blog", 1, nil)
			w.setup.Sources[0].Topics, w.setup.Sink.Clusters.Topic = []string{"news", "blog"}, template
			w.start(sessions(1))
			w.produce(1, 82)
			w.settled()
			text := w.outputs("news.unique", 1)[0]
			w.produce(1, 82)
			w.outputs("news.duplicate", 1)
			again := w.documents(1, 82)
			again[0].Topic = "blog"
			if err := w.producer.ProduceSync(w.context(), again...).FirstErr(); err != nil {
				t.Fatal(err)
			}
			w.outputs("blog.duplicate", 1)
			all, kept := w.clustersOf(topics...)
			c := w.tableOf(all)[headerOf(text, sink.HeaderSource)]
			if len(all) != 2 || len(kept) != 2 || c.Copies != 2 || c.Newest != "blog/0/0" {
				t.Errorf("the clusters are %+v, of which %+v are kept", all, kept)
			}
		})
	}
}

// A request that is sent again is no copy: it has no record of clusters, neither the original's nor a copy's, which would
// be an original there. The same text with another key is a copy.
func TestClustersOfRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Sink.Clusters.Topic = "{source}.clusters"
	w.setup.Index.Duplicates.Remember.Keys = time.Hour
	w.start(sessions(1))
	for _, key := range []string{"a", "b", "b", "a", "c"} { // the first is unique, the second and the last are its copies
		w.send(&kgo.Record{
			Value:   []byte("the council met on tuesday evening and decided to build a bridge"),
			Headers: []kgo.RecordHeader{{Key: signing.HeaderIdempotencyKey, Value: []byte(key)}},
		})
	}
	w.settled()
	resent := 0
	for _, r := range w.outputs("news.duplicate", 4) {
		if headerOf(r, sink.HeaderMethod) == "resent" {
			resent++
		}
	}
	all, _ := w.clustersOf("news.clusters")
	if report := w.audited(); report.Clusters != 2 {
		t.Errorf("got %s", report.String())
	}
	if resent != 2 || len(all) != 2 || all[0].Copies != 1 || all[0].Newest != "news/0/1" || all[1].Copies != 2 ||
		all[1].Original != "news/0/0" || all[1].Newest != "news/0/4" {
		t.Errorf("%d are resent, and the clusters are %+v", resent, all)
	}
}

// A topic of clusters is made compacted, whatever outputs are made like. One that deletes as well is refused.
func TestClustersAreCompacted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Sink.Clusters.Topic = "{source}.clusters"
	w.setup.Sink.Create.Config = map[string]string{"cleanup.policy": "delete"}
	m := w.start(named("m"), sessions(1))
	w.produce(20, 83)
	w.settled()
	m.kill()
	w.configure("news.clusters", "cleanup.policy", "compact,delete")
	err := w.launch(named("m")).wait()
	for _, part := range []string{"news.clusters", "cleanup.policy is compact,delete, and must be compact", "cleanup.policy=compact"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %v", part, err)
		}
	}
	w.configure("news.clusters", "cleanup.policy", "compact")
	w.start(named("m"))
	w.settled()
}

// A topic of clusters that refuses its records ends the process, and nothing is rejected because of it.
func TestClustersAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Sink.Clusters.Topic = "{source}.clusters"
	m := w.launch(named("m"), sessions(1))
	w.produce(20, 84)
	w.settled()
	w.limit("news.clusters", 100)
	w.produce(20, 84) // copies
	w.refusedBy(m, "outputs.clusters", "raise max.message.bytes of that topic to 8192")
	w.limit("news.clusters", 8192)
	w.start(named("m"))
	w.settled()
	if report := w.audited(); report.Rejected != 0 {
		t.Errorf("got %s", report.String())
	}
}
