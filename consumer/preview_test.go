package consumer

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/preview"
)

// What a slip in the configuration does to documents is in the log before a session reads any, without their text.
func TestStartPreviewsDocuments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fields []string
		want   []string
	}{
		"as they are meant": {[]string{"title", "body"}, []string{
			`"level":"info","topic":"news","documents":20,"judged":20,"rejected":0,"unchecked":0,"shortest":16,"longest":16,"ids":0,"scopes":0,` +
				`"message":"the newest documents of a source, as they are read"`,
		}},
		"a field that no document has": {[]string{"titel", "body"}, []string{
			`"level":"warn","topic":"news","documents":20,"judged":0,"rejected":20,"unchecked":0,"reason":"missing_field",` +
				`"detail":"no field titel (sources[0].reject)","example":"news/0/10","why":"no document would be judged`,
			`"remedy":"correct titel (sources[0].text), perhaps to title; the documents have body, title"`,
			`"message":"the newest documents of a source may not be read as they are meant"`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			log := w.logged()
			w.setup.Sources[0].Reading.Format, w.setup.Sources[0].Reading.Fields, w.setup.Accepted.Rejected = "json", c.fields, []string{"news"}
			for i := range 30 {
				w.send(&kgo.Record{Value: fmt.Appendf(nil, `{"title":"Rainbow","body":"covert%02d"}`, i)})
			}
			m := w.start()
			w.settled()
			for _, want := range c.want {
				if !log.has(want) {
					t.Errorf("the log does not have %s", want)
				}
			}
			if log.has("Rainbow") || log.has("covert") {
				t.Error("the log has text of a document")
			}
			w.ended(m)
			w.audited()
		})
	}
}

// A source that cannot be read, or not in time, holds up no start for longer than the bound.
func TestStartGoesOnWithoutPreview(t *testing.T) {
	t.Parallel()
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 1)
		log := w.logged()
		w.produce(20, 3)
		w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "news", Err: kerr.UnknownServerError, Count: 1})
		w.start()
		w.settled()
		if !log.has(`"message":"the newest documents of a source cannot be read: the start goes on"`) {
			t.Error("the log does not tell of the source that cannot be read")
		}
	})
	t.Run("slow", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 1)
		log := w.logged()
		w.produce(20, 3)
		m := w.launch(func(s *Setup) { s.previewFor = time.Nanosecond })
		w.settled()
		if !log.has(`"sources":1,"message":"the newest documents of further sources were not looked at: the start goes on"`) {
			t.Error("the log does not tell of the source that was not looked at")
		}
		w.ended(m)
	})
}

// Of many sources the first ones are looked at, and the log says how many are left out.
func TestStartPreviewsSomeSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.previewFor = time.Minute // a busy machine needs longer for so many sources than a start has
	log := w.logged()
	w.produce(20, 4)
	for i := range preview.Topics {
		topic := fmt.Sprintf("more-%02d", i)
		w.create(topic, 1, map[string]string{"max.message.bytes": "16777216"})
		w.setup.Sources[0].Topics = append(w.setup.Sources[0].Topics, topic)
	}
	m := w.start(sessions(1))
	w.settled()
	if n := log.count("the newest documents of a source, as they are read"); n != preview.Topics ||
		!log.has(`"sources":1,"message":"the newest documents of further sources were not looked at`) {
		t.Errorf("%d sources were looked at, want %d, and one left out", n, preview.Topics)
	}
	w.ended(m)
}

// What is unpacked for a preview is bounded: documents of one letter take little of a topic, and much of memory.
func TestPreviewIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	log := w.logged()
	w.setup.Params.MaxBatchBytes = 1 << 20
	w.producer = w.client(kgo.DefaultProduceTopic("news"), kgo.ProducerBatchCompression(kgo.ZstdCompression()))
	for range 30 {
		w.send(&kgo.Record{Value: bytes.Repeat([]byte("a"), 1<<19)})
	}
	m := w.start()
	w.settled()
	if !log.has(`"topic":"news","documents":7,`) {
		t.Error("more of half a MiB are held than 7, in 4 MiB")
	}
	w.ended(m)
}
