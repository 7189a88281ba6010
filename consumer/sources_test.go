package consumer

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/sink"
)

// topics is a world with several source topics.
type topics struct {
	*world
	ends map[string]map[int32]int64 // where what was sent ends, by topic and partition
	sent int
}

func newTopics(t *testing.T, names ...string) *topics {
	t.Helper()
	w := &topics{world: newWorld(t, 1), ends: map[string]map[int32]int64{}}
	w.create(names...)
	w.setup.Source.Topics = names
	return w
}

func (w *topics) create(names ...string) {
	w.t.Helper()
	for _, name := range names {
		if err := w.cluster.CreateTopic(name, 2, map[string]string{"max.message.bytes": "16777216"}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// send sends texts to a topic, to its partitions in turn.
func (w *topics) send(topic string, texts ...string) {
	w.t.Helper()
	cl := w.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	for i, text := range texts {
		r, err := cl.ProduceSync(w.context(), &kgo.Record{Topic: topic, Partition: int32(i % 2), Value: []byte(text)}).First()
		if err != nil {
			w.t.Fatal(err)
		}
		if w.ends[topic] == nil {
			w.ends[topic] = map[int32]int64{}
		}
		w.ends[topic][r.Partition] = r.Offset + 1
		w.sent++
	}
}

// settled waits until everything that was sent is committed.
func (w *topics) settled() {
	w.t.Helper()
	info, err := w.cluster.WaitGroupInfo(w.context(), w.setup.Params.Group, func(g *kfake.GroupInfo) bool {
		for topic, ends := range w.ends {
			for p, end := range ends {
				if g == nil || g.Commits[topic][p].Offset < end {
					return false
				}
			}
		}
		return true
	})
	if err != nil {
		w.t.Fatalf("not everything is committed: %v, sent %v, group %+v", err, w.ends, info)
	}
}

// audited demands each document of all topics once.
func (w *topics) audited() audit.Report {
	w.t.Helper()
	in := w.audits("")
	in.Sources = nil
	for topic := range w.ends {
		in.Sources = append(in.Sources, topic)
	}
	report, err := audit.Run(w.context(), in)
	if err != nil {
		w.t.Fatal(err)
	}
	if !report.OK() || report.Records != w.sent {
		w.t.Fatalf("%d documents sent, %s", w.sent, report.String())
	}
	return report
}

// With document.scope: topic each topic has an index of its own: a text of another topic is no original.
func TestScopeOfTopics(t *testing.T) {
	t.Parallel()
	w := newTopics(t, "news.a", "news.b")
	w.setup.Document.Scope = "topic"
	w.send("news.a", sentence)
	w.start()
	w.settled()
	w.send("news.b", sentence)
	w.send("news.a", sentence+" again")
	w.settled()
	report := w.audited()
	if report.Unique != 2 || report.Duplicate != 1 {
		t.Errorf("%s, want one unique document in each topic, and one duplicate", report.String())
	}
	if r := w.outputs("news.a.duplicate", 1)[0]; headerOf(r, sink.HeaderMatch) != "news.a/0/0" {
		t.Errorf("the duplicate is one of %s", headerOf(r, sink.HeaderMatch))
	}
}

// A group that compares documents of one topic only is not primed from a topic that it does not read.
func TestScopeOfTopicsIsNotPrimedFromOthers(t *testing.T) {
	t.Parallel()
	w := newTopics(t, "news.a")
	w.setup.Document.Scope = "topic"
	w.create("archive")
	w.send("archive", sentence)
	w.ends = map[string]map[int32]int64{}
	w.send("news.a", sentence)
	m := w.start()
	w.settled()
	w.stopped(m)
	_, _, err := w.prime(w.context(), backfill.Asked{Topics: []string{"archive"}})
	if err == nil || !strings.Contains(err.Error(), "does not read archive") {
		t.Errorf("it was primed: %v", err)
	}
}
