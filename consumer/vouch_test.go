package consumer

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
)

// misread is a world whose configuration names a field that no document has. Documents are sent to partitions by number.
func misread(t *testing.T, partitions int32) *world {
	t.Helper()
	w := newWorld(t, partitions)
	w.setup.Sources[0].Reading.Format, w.setup.Sources[0].Reading.Fields = "json", []string{"title"}
	w.producer = w.client(kgo.DefaultProduceTopic("news"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	return w
}

// titled are documents with the field, untitled are some without it.
func titled(partition int32, n int) []*kgo.Record   { return fielded("title", partition, n) }
func untitled(partition int32, n int) []*kgo.Record { return fielded("text", partition, n) }

func fielded(field string, partition int32, n int) []*kgo.Record {
	records := make([]*kgo.Record, n)
	for i := range records {
		records[i] = &kgo.Record{Partition: partition, Value: fmt.Appendf(nil, `{%q: "document %d of %d"}`, field, i, partition)}
	}
	return records
}

// forwardedNothing says that no document was committed, and none is in an output.
func (w *world) forwardedNothing() {
	w.t.Helper()
	for p, at := range w.cluster.GroupInfo("unecho").Commits["news"] {
		if c := protocol.NewCommitted(at.Offset, at.Metadata); at.Offset != c.Start || !c.New {
			w.t.Errorf("of partition %d %d is committed, with %+v", p, at.Offset, c)
		}
	}
	for p := range w.sent {
		for _, output := range []string{"news.rejected", "news.unique"} {
			if end := w.cluster.PartitionInfo(output, p).HighWatermark; end != 0 {
				w.t.Errorf("%s/%d has %d records", output, p, end)
			}
		}
	}
}

// Where all that a source begins with is rejected for one reason, the member ends, again and again, and nothing is
// forwarded: a thousand documents are enough, and so is all there is.
func TestAllRejectedStops(t *testing.T) {
	t.Parallel()
	const has = "correct title (sources[0].text); the documents have text"
	for name, send := range map[string]func(w *world){
		"three documents": func(w *world) { w.send(untitled(1, 3)...) },
		"more than one batch": func(w *world) {
			w.setup.Params.PollRecords = 100
			w.send(append(untitled(0, 1500), untitled(1, 700)...)...)
		},
		"as many as are looked at": func(w *world) {
			w.setup.Params.PollRecords = 100
			w.send(append(untitled(0, 1500), titled(0, 1)...)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := misread(t, 2)
			send(w)
			for _, others := range [][]string{nil, {"letters", "new"}} {
				m := w.launch(func(s *Setup) { s.Accepted.Rejected = others })
				w.refusedBy(m, "the first documents of news are all rejected, for missing_field", "such as news/", has,
					"start once with --accept-rejected news; where they are to be read by nobody, leave the topic out of sources")
				var because *stop.Error
				if !errors.As(m.err, &because) || !because.Config {
					t.Errorf("%v is no mistake in the configuration", m.err)
				}
				w.forwardedNothing()
			}
			m := w.launch(func(s *Setup) { s.Accepted.Rejected = []string{"news"} })
			w.settled()
			w.ended(m)
			w.audited()
		})
	}
}

// slips are configurations that go another way with all documents than is meant, and how that is allowed.
func slips() map[string]slip {
	asks := func(c document.Condition) func(*document.Params) {
		return func(p *document.Params) { p.Format, p.When = "json", []document.Condition{c} }
	}
	unchecked := func(s *Setup) { s.Accepted.Unchecked = []string{"news"} }
	const none, allow = "the first documents of news are all unchecked, as none meets sources[0].when (of the example ",
		"start once with --accept-unchecked news; where they are to be read by nobody"
	return map[string]slip{
		"a field that is no field": {
			asks(document.Condition{Field: "lang", Exists: "true"}), unchecked, 100,
			[]string{none + "field lang is missing, where exists: true is asked): ", " were read, such as news/", allow},
		},
		"another case": {
			asks(document.Condition{Field: "text", Equals: "Document 0 of 0"}), unchecked, 100,
			[]string{none + `field text is "document `, ", where equals: Document 0 of 0 is asked): ", allow},
		},
		"a header for a field": {
			asks(document.Condition{Header: "text", Equals: "document 0 of 0"}), unchecked, 100,
			[]string{none + "header text is missing, and field text is there, where equals: document 0 of 0 is asked): ", allow},
		},
		"objects whose format nobody has written": {
			func(p *document.Params) { p.ByDefault = true }, func(s *Setup) { s.Sources[0].Reading.ByDefault = false }, 3,
			[]string{"the first documents of news are all JSON objects, and no sources[0].format says so: ", "write sources[0].format: raw"},
		},
	}
}

type slip struct {
	read  func(*document.Params)
	allow func(*Setup)
	tell  int // so many documents, where there are no more
	told  []string
}

// Where nothing that a source begins with is judged as it is meant, the member ends in the same way: no document meets the
// conditions, or all are objects that would be compared as they are written.
func TestSlipStops(t *testing.T) {
	t.Parallel()
	for name, c := range slips() {
		for amount, n := range map[string]int{"as few as tell": c.tell, "more than are looked at": 2250} {
			t.Run(name+", "+amount, func(t *testing.T) {
				t.Parallel()
				w := misread(t, 2)
				w.setup.Settings = []byte(`{"sources[0].when[0].equals":"en","test":1}`) // as the audit reads them
				w.setup.Sources[0].Reading = document.DefaultParams()
				c.read(&w.setup.Sources[0].Reading)
				w.send(append(untitled(0, n-n/3), untitled(1, n/3)...)...)
				w.refusedBy(w.launch(func(s *Setup) { s.Accepted.Rejected = []string{"news"} }), c.told...)
				w.forwardedNothing()
				m := w.launch(c.allow)
				w.settled()
				w.ended(m)
				w.audited()
			})
		}
	}
}

// Conditions that none of few documents meets may be meant for others: all are forwarded unchecked, and the log names the
// condition, whether they were there before or come one by one.
func TestFewUnmetGoOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after int
		said          string
	}{
		"all there are":     {99, 0, `"topic":"news","documents":99,"example":"news/`},
		"one comes later":   {0, 1, `"topic":"news","documents":1,"example":"news/0/0",`},
		"many come at once": {0, 900, `"example":"news/0/0",`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := misread(t, 2)
			w.setup.Settings = []byte(`{"sources[0].when[0].equals":"en","test":1}`) // as the audit reads them
			w.setup.Sources[0].Reading = document.DefaultParams()
			slips()["a field that is no field"].read(&w.setup.Sources[0].Reading)
			log := w.logged()
			w.send(append(untitled(0, c.before-c.before/3), untitled(1, c.before/3)...)...)
			m := w.start()
			w.becomes("it has both partitions", func() bool { return m.Stats().Partitions == 2 })
			w.send(untitled(0, c.after)...)
			w.settled()
			w.send(untitled(1, 1500)...) // after a commit it goes on, however many there are
			w.settled()
			w.ended(m)
			w.audited()
			if all := m.Stats().Unchecked; all != uint64(w.total) {
				t.Errorf("of %d documents %d are unchecked", w.total, all)
			}
			const why = `of one field lang is missing, where exists: true is asked","remedy":"correct lang (sources[0].when); the documents have text",` +
				`"message":"the first documents of a source are all unchecked`
			if !log.has(c.said) || !log.has(why) {
				t.Errorf("the log does not have %s with %s", c.said, why)
			}
		})
	}
}

// One document that is judged as it is meant is enough, wherever it is among the first.
func TestNoSlipGoesOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read func(*document.Params)
		one  kgo.Record
		n    int // documents that slip
	}{
		"one meets the conditions": {slips()["another case"].read, kgo.Record{Partition: 1, Value: []byte(`{"text": "Document 0 of 0"}`)}, 1500},
		"the thousandth does":      {slips()["another case"].read, kgo.Record{Value: []byte(`{"text": "Document 0 of 0"}`)}, 999},
		"one is no object":         {slips()["objects whose format nobody has written"].read, kgo.Record{Partition: 1, Value: []byte(`{"text": "document"} and more`)}, 1500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := misread(t, 2)
			w.setup.Sources[0].Reading = document.DefaultParams()
			w.setup.Params.PollRecords = 100
			c.read(&w.setup.Sources[0].Reading)
			w.send(append(untitled(0, c.n), &c.one)...)
			m := w.start()
			w.settled()
			w.stopped(m)
			w.send(untitled(0, 1500)...)
			m = w.start()
			w.settled()
			w.ended(m)
		})
	}
}

// What was corrected begins with another journal, in the same group and at the same documents.
func TestAllRejectedIsCorrected(t *testing.T) {
	t.Parallel()
	w := misread(t, 2)
	w.send(append(untitled(0, 50), untitled(1, 50)...)...)
	w.refusedBy(w.launch(), "name another group, and other outputs unless nothing was forwarded yet; or delete the journal's topic")
	corrected := func(s *Setup) { s.Sources[0].Reading.Fields, s.Settings = []string{"text"}, []byte(`{"test":2}`) }
	again := w.launch(corrected)
	w.refusedBy(again, "use those settings; nothing was committed in group unecho yet: to begin anew, stop all members, delete topic "+
		"unecho.journal, and start again")
	if strings.Contains(again.err.Error(), "accept-journal-gap") {
		t.Errorf("%v names a flag that is not needed", again.err)
	}
	w.loseJournal()
	m := w.start(corrected)
	w.settled()
	w.ended(m)
	if out := m.Stats(); out.Unique+out.Duplicate != 100 || len(w.outputs("news.unique", int(out.Unique))) != int(out.Unique) {
		t.Errorf("of 100 documents %d came out as unique, and %d as duplicates", out.Unique, out.Duplicate)
	}
}

// A source goes on of which one document is not rejected, wherever it is among the first; after its first commit it
// always does.
func TestNotAllRejectedGoesOn(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(w *world){
		"the last of few": func(w *world) { w.send(append(untitled(0, 900), titled(0, 1)...)...) },
		"in a later batch": func(w *world) {
			w.setup.Params.PollRecords = 100
			w.send(append(untitled(0, 900), titled(0, 1)...)...)
		},
		"in another partition": func(w *world) { w.send(append(untitled(0, 2500), titled(1, 1)...)...) },
		"rejected for another reason": func(w *world) {
			w.send(append(untitled(0, 10), &kgo.Record{Value: []byte("no JSON")})...)
		},
		"unchecked": func(w *world) {
			w.setup.Sources[0].Reading.When = []document.Condition{{Header: "lang", Exists: "false"}}
			w.send(append(untitled(0, 10), &kgo.Record{Value: []byte("{}"), Headers: []kgo.RecordHeader{{Key: "lang"}}})...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := misread(t, 2)
			send(w)
			m := w.start()
			w.settled()
			w.send(append(untitled(0, 1500), untitled(1, 1500)...)...)
			w.settled()
			w.stopped(m)
			m = w.start()
			w.send(append(untitled(0, 1500), untitled(1, 1500)...)...)
			w.settled()
			w.ended(m)
		})
	}
}

// A source that was empty when the session took it over waits for no thousand documents, and does not stop for few.
func TestFirstDocumentsTrickle(t *testing.T) {
	t.Parallel()
	w := misread(t, 2)
	m := w.start()
	w.becomes("it has both partitions", func() bool { return m.Stats().Partitions == 2 })
	for range 3 {
		w.send(untitled(0, 1)...)
		w.settled()
	}
	w.ended(m)
	w.audited()
}

// With start: latest the first documents are those that the group reads first. What lies before tells nothing.
func TestFirstDocumentsFromLatest(t *testing.T) {
	t.Parallel()
	w := misread(t, 2)
	w.setup.Sources[0].Start = "latest"
	w.send(titled(0, 10)...)
	m := w.start()
	w.becomes("it has both partitions", func() bool { return m.Stats().Partitions == 2 })
	w.stopped(m)
	w.send(untitled(0, 20)...)
	w.refusedBy(w.launch(), "the first documents of news are all rejected, for missing_field: 20 were read")
	w.forwardedNothing()
}

// A topic that comes while a member works has documents when it is found, as a rule. A bad one among few does not stop
// the others.
func TestFirstDocumentsOfLaterTopic(t *testing.T) {
	t.Parallel()
	w := patterned(t, `news\..+`, "news.a")
	w.setup.sourcesEvery = 200 * time.Millisecond
	w.setup.Sources[0].Reading.Format, w.setup.Sources[0].Reading.Fields = "json", []string{"title"}
	w.send("news.a", `{"title":"sunshine"}`)
	m := w.start()
	w.settled()
	w.create("news.b")
	w.send("news.b", "no JSON")
	w.send("news.a", `{"title":"rain"}`)
	w.settled()
	w.ended(m)
	w.audited()
}

// What waits for a group that takes over is no beginning: one bad document does not stop it.
func TestFirstDocumentsAfterHandover(t *testing.T) {
	t.Parallel()
	w := misread(t, 1)
	w.send(titled(0, 30)...)
	old := w.launch(named("old"))
	w.settled()
	next := w.start(w.successor("next"))
	w.becomesFilled(next)
	w.stopped(old)
	w.send(untitled(0, 1)...)
	w.handsOver(w.handover("next", false))
	w.committedBy("next")
	w.ended(next)
}

// Where a partition brings nothing though it has documents, nobody knows what they are. The session tries again.
func TestFirstDocumentsThatDoNotCome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys []kmsg.Key
		err  *kerr.Error
		said string
	}{
		"moved":     {[]kmsg.Key{kmsg.Fetch}, kerr.NotLeaderForPartition, "read the first documents of news/1: nothing comes from offset 0 on"},
		"no leader": {[]kmsg.Key{kmsg.ListOffsets, kmsg.Fetch}, kerr.LeaderNotAvailable, "read the first documents of news/1: LEADER_NOT_AVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := misread(t, 2)
			log := w.logged()
			w.send(append(untitled(0, 3), titled(1, 3)...)...)
			away := w.cluster.Fault(kfake.Fault{Keys: c.keys, Topic: "news", Partitions: []int32{1}, Err: c.err, Count: -1})
			m := w.start()
			w.becomes("tried again", func() bool { return log.has(c.said) })
			w.forwardedNothing()
			away.Remove()
			w.settled()
			w.ended(m)
		})
	}
}

// A backfill that reads wrongly stops, in either order, and is to be removed and begun again: its journal cannot be chosen.
func TestAllRejectedStopsBackfill(t *testing.T) {
	t.Parallel()
	for _, order := range []protocol.Order{protocol.ByPlace, protocol.ByArrival} {
		w := misread(t, 2)
		w.send(append(untitled(0, 30), untitled(1, 30)...)...)
		plan := w.plan(order, 2)
		w.refusedBy(w.launch(job("wrong", plan)), "the first documents of news are all rejected, for missing_field",
			"unecho backfill remove")
		w.finished(w.start(job("wrong", plan), func(s *Setup) { s.Accepted.Rejected = []string{"news"} }), plan)
	}
}
