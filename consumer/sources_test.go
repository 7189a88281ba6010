package consumer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/document"
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
	w.setup.Sources[0].Topics = names
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

// news are n texts of a topic, none like another.
func news(topic string, n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("number %d of %s, seen by %d people of town %d in year %d", i, topic, 7*i+3, i, 1900+i))
	}
	return texts
}

// patterned is a world whose members read the topics that a pattern fits.
func patterned(t *testing.T, pattern string, existing ...string) *topics {
	t.Helper()
	w := newTopics(t, existing...)
	w.setup.Sources[0].Topics, w.setup.Sources[0].Pattern = nil, pattern
	w.setup.sourcesEvery = 20 * time.Millisecond
	return w
}

// settled waits until everything that was sent is committed.
func (w *topics) settled() {
	w.t.Helper()
	w.reaches(w.setup.Params.Group, w.ends)
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

// With sources.scope: topic each topic has an index of its own: a text of another topic is no original.
func TestScopeOfTopics(t *testing.T) {
	t.Parallel()
	w := newTopics(t, "news.a", "news.b")
	w.setup.Sources[0].Reading.Scope = "topic"
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

// A group that compares documents of one topic only is not filled from a topic that it does not read. From that of its
// unique documents it is: each is of the topic that it came from.
func TestScopeOfTopicsIsNotFilledFromOthers(t *testing.T) {
	t.Parallel()
	w := newTopics(t, "news.a")
	w.setup.Sources[0].Reading.Scope = "topic"
	w.create("archive")
	w.send("archive", sentence)
	w.ends = map[string]map[int32]int64{}
	fill := func(topic string) (Fill, error) {
		_, after, err := w.fill(w.context(), backfill.Asked{Topics: []string{topic}})
		return after, err
	}
	if _, err := fill("archive"); err == nil || !strings.Contains(err.Error(), "does not read archive") {
		t.Errorf("it was filled: %v", err)
	}
	unique := w.client(kgo.DefaultProduceTopic("news.a.unique"))
	of := &kgo.Record{Value: []byte(sentence), Headers: []kgo.RecordHeader{{Key: sink.HeaderSource, Value: []byte("news.a/0/7")}}}
	if err := unique.ProduceSync(w.context(), of).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if after, err := fill("news.a.unique"); err != nil || after.Kept != 1 {
		t.Fatalf("after %+v, %v", after, err)
	}
	w.send("news.a", sentence)
	w.start()
	w.settled()
	if r := w.outputs("news.a.duplicate", 1)[0]; !strings.HasPrefix(headerOf(r, sink.HeaderMatch), "news.a.unique/") {
		t.Errorf("the duplicate is one of %s", headerOf(r, sink.HeaderMatch))
	}
}

// A topic that comes while members run is read from its start, whatever sources.start is, and forwarded to outputs by
// the templates. What has the name of an output, or of another use, is not read. A restart reads the same.
func TestTopicsOfAPattern(t *testing.T) {
	t.Parallel()
	w := patterned(t, `news\..+|named`, "news.a")
	w.create("named")
	w.setup.Sources[0].Topics, w.setup.Sources[0].Start = []string{"named"}, "latest"
	w.setup.Params.Group = "news.group" // its journal fits, too
	w.send("news.a", news("a", 6)...)
	w.send("named", news("never read", 1)...)
	delete(w.ends, "named")
	w.sent--
	m := w.start()
	w.settled()
	w.create("news.b", "other.c", "news.a.backfill.unique")
	w.send("news.b", news("b", 5)...)
	w.settled()
	w.stopped(m)
	w.create("news.d")
	w.send("news.d", news("d", 4)...)
	w.send("named", news("read", 1)...)
	m = w.start()
	w.settled()
	w.send("news.b", news("a", 1)...)
	w.settled()
	reads, _ := m.lookout.sources.List()
	if want := []string{"named", "news.a", "news.b", "news.d"}; !slices.Equal(reads, want) {
		t.Errorf("it reads %q, want %q", reads, want)
	}
	for output, n := range map[string]int{"news.a.unique": 6, "news.b.unique": 5, "news.b.duplicate": 1, "news.d.unique": 4} {
		w.outputs(output, n)
	}
	var counted []string
	for _, v := range m.Stats().Topics {
		counted = append(counted, v.Topic)
	}
	if !slices.Equal(counted, reads) {
		t.Errorf("counted are %q", counted)
	}
	w.stopped(m)
	in := w.audits("")
	in.Sources = []string{"news.a", "news.b", "news.d"}
	if report, err := audit.Run(w.context(), in); err != nil || !report.OK() || report.Records != w.sent-1 {
		t.Errorf("the audit ends with error %v; want no findings and %d records of the sources:\n%s", err, w.sent-1, report.String())
	}
}

// A group may begin before there is a topic that fits. It is ready, and takes part as soon as one comes.
func TestPatternWithoutTopics(t *testing.T) {
	t.Parallel()
	w := patterned(t, `news\..+`)
	m := w.start()
	w.becomes("ready", m.Ready)
	w.create("news.a")
	w.send("news.a", news("a", 6)...)
	w.settled()
	w.audited()
}

// A topic whose outputs are not ready waits, and is taken up when they are. The others are read.
func TestPatternOfATopicWithoutOutputs(t *testing.T) {
	t.Parallel()
	w := patterned(t, `news\..+`, "news.a")
	said := w.logged()
	w.create("news.a.unique", "news.a.duplicate", "news.a.rejected", "news.b", "news.b.unique", "news.b.duplicate")
	w.setup.Sink.Create.Enabled = false
	w.write() // the journal
	w.send("news.a", news("a", 6)...)
	m := w.start()
	w.settled()
	waits := m.Stats().Untaken
	if len(waits) != 1 || waits[0].Topic != "news.b" || !strings.Contains(waits[0].Why, "cannot find the output news.b.rejected") {
		t.Errorf("these wait: %+v", waits)
	}
	w.send("news.b", news("b", 5)...)
	w.create("news.b.rejected")
	w.settled()
	w.becomes("none waits", func() bool { return len(m.Stats().Untaken) == 0 })
	if n := said.count("is not read: its outputs are not ready"); n != 1 {
		t.Errorf("it was said %d times that a topic waits", n)
	}
	w.stopped(m)
	w.audited()
}

// A topic is deleted while members run. The others are read on. One that comes under its name is another source, and is
// read from its start.
func TestPatternOfATopicThatGoes(t *testing.T) {
	t.Parallel()
	w := patterned(t, `news\..+`, "news.a", "news.b")
	said := w.logged()
	w.send("news.a", news("a", 6)...)
	w.send("news.b", news("b", 4)...)
	m := w.start()
	w.settled()
	w.deletes("news.b")
	w.becomes("it is given up", func() bool { return said.has("it is not read any more") })
	w.send("news.a", news("more of a", 6)...)
	delete(w.ends, "news.b")
	w.settled()
	w.create("news.b")
	w.send("news.b", news("of another b", 5)...)
	w.settled()
	w.outputs("news.b.unique", 4+5)
	w.stopped(m)
}

// Topics are read by the sources that they are of, also such as come while members run.
func TestDocumentsBySource(t *testing.T) {
	t.Parallel()
	w := patterned(t, `news\..+`, "news.text")
	texts := w.setup.Sources[0]
	objects := texts
	objects.Pattern, objects.Reading.Format, objects.Reading.Fields, objects.Reading.ID = `news\.json.*`, "json", []string{"title", "body"}, "field:n"
	w.setup.Sources = []document.Source{objects, texts}
	w.send("news.text", sentence)
	w.start()
	w.settled()
	w.create("news.json")
	w.send("news.json", fmt.Sprintf(`{"n": 7, "title": "", "body": %q}`, sentence+" or so"), `{"n": 8}`, sentence)
	w.settled()
	report := w.audited()
	if report.Unique != 1 || report.Duplicate != 1 || report.Rejected != 2 {
		t.Errorf("%s, want a copy, and two documents that are no JSON with these fields", report.String())
	}
	if r := w.outputs("news.json.duplicate", 1)[0]; headerOf(r, sink.HeaderMatch) != "news.text/0/0" {
		t.Errorf("it is a copy of %q", headerOf(r, sink.HeaderMatch))
	}
}

// Of two members only one sees a topic that comes. It reads all of it until the other one sees it, too.
func TestPatternSeenByOneMember(t *testing.T) {
	t.Parallel()
	w := patterned(t, `news\..+`, "news.a")
	w.send("news.a", news("a", 6)...)
	blind := w.start(named("m"), func(s *Setup) { s.sourcesEvery = time.Hour })
	w.settled()
	sees := w.start(named("n"))
	w.becomes("both are ready", func() bool { return blind.Ready() && sees.Ready() })
	w.create("news.b")
	w.send("news.b", news("b", 5)...)
	w.settled()
	w.send("news.a", news("more of a", 5)...)
	w.settled()
	if reads, _ := blind.lookout.sources.List(); slices.Contains(reads, "news.b") {
		t.Error("both have seen it")
	}
	if n := sees.Stats().Topics; len(n) != 2 || n[1].Unique != 5 {
		t.Errorf("the one that sees it has committed %+v", n)
	}
	blind.kill()
	blind = w.start(named("m"))
	w.send("news.b", news("more of b", 5)...)
	w.settled()
	w.ended(sees)
	w.send("news.b", news("still more of b", 5)...)
	w.settled()
	w.stopped(blind)
	w.audited()
}
