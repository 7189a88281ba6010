package consumer

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// all reads the outputs. The keys are the values of unecho-source.
func (w *world) all() map[string]*kgo.Record {
	w.t.Helper()
	report := w.audited()
	found := map[string]*kgo.Record{}
	for topic, n := range map[string]int{
		"news.unique": report.Unique, "news.duplicate": report.Duplicate,
		"news.rejected": report.Rejected,
	} {
		for _, r := range w.outputs(topic, n) {
			found[headerOf(r, sink.HeaderSource)] = r
		}
	}
	return found
}

// input is a record, and what must become of it.
type input struct {
	name    string
	value   any // string, []byte, or nil for a tombstone
	headers []kgo.RecordHeader
	key     string
	want    string // the verdict, and for rejected records the reason
	match   string // unecho-match-id
}

// try sends the inputs in one batch and compares what comes out with what is wanted.
func (w *world) try(inputs []input) map[string]*kgo.Record {
	w.t.Helper()
	var records []*kgo.Record
	for _, in := range inputs {
		r := &kgo.Record{Headers: in.headers, Key: []byte(in.key)}
		switch v := in.value.(type) {
		case string:
			r.Value = []byte(v)
		case []byte:
			r.Value = v
		}
		records = append(records, r)
	}
	w.send(records...)
	w.start()
	w.settled()
	all := w.all()
	for i, in := range inputs {
		r := all[fmt.Sprintf("news/%d/%d", records[i].Partition, records[i].Offset)]
		got := strings.TrimSpace(headerOf(r, sink.HeaderVerdict) + " " + headerOf(r, sink.HeaderReason))
		if id := headerOf(r, sink.HeaderMatchID); got != in.want || in.match != "" && id != in.match {
			w.t.Errorf("%s: %s, match %q (%s), want %s %q", in.name, got, id, headerOf(r, sink.HeaderDetail), in.want, in.match)
		}
	}
	return all
}

const sentence = "the committee met on a rainy tuesday and decided, after long debate, to decide nothing at all"

func TestRawInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	big := bytes.Repeat([]byte("five megabytes of the same few words "), 5<<20/37)
	all := w.try([]input{
		{name: "text", value: sentence, want: "unique"},
		{name: "the same in capitals", value: strings.ToUpper(sentence), want: "duplicate", match: "news/0/0"},
		{name: "not UTF-8", value: []byte("\xff\xfe but " + sentence), want: "duplicate"},
		{name: "not UTF-8 at all", value: []byte{0xff, 0xfe, 0x80, 0x81}, want: "unique"},
		{name: "a tombstone", value: nil, want: "unique"},
		{name: "empty", value: "", want: "unique"},
		{name: "empty again", value: "", want: "unique"},
		{name: "punctuation", value: "?!", want: "unique"},
		{name: "the same punctuation", value: "?!", want: "duplicate", match: "news/0/7"},
		{name: "emoji", value: "👩\u200d👧 ❤\ufe0f", want: "unique"},
		{name: "the same emoji", value: "👩\u200d👧 ❤\ufe0f", want: "duplicate", match: "news/0/9"},
		{name: "more emoji", value: "👩\u200d👧 ❤\ufe0f❤\ufe0f", want: "unique"},
		{name: "invisible", value: "\u200b\u2060", want: "unique"},
		{name: "as invisible", value: "\u200b\u2060", want: "duplicate", match: "news/0/12"},
		{name: "a control character", value: "\x01", want: "unique"},
		{name: "the same control character", value: "\x01", want: "duplicate", match: "news/0/14"},
		{name: "blank", value: " \t\u3000", want: "unique"},
		{name: "blank again", value: " \t\u3000", want: "unique"},
		{name: "five megabytes", value: big, want: "rejected too_large"},
		{
			name: "a claim", value: "nothing like the others, whatever its headers claim of it", want: "unique",
			headers: []kgo.RecordHeader{
				{Key: "unecho-verdict", Value: []byte("duplicate")}, {Key: "Unecho-Match", Value: []byte("x")}, {Key: "kept", Value: []byte("y")},
			},
		},
		{name: "a short one", value: "short", want: "unique"},
		{name: "the short one again", value: "Short!", want: "duplicate"},
		{name: "newlines in the key", key: "a\nb", value: "another text of its own with a key that nobody should print", want: "unique"},
		{name: "windows-1251 and a year", value: "\xca\xf3\xf0\xf1 2024", want: "unique"},
		{name: "unlike that, with the same year", value: "\xcf\xee\xe3\xee\xe4\xe0 2024", want: "unique"},
	})
	if r := all["news/0/18"]; r.Value != nil || headerOf(r, sink.HeaderValueBytes) != fmt.Sprint(len(big)) {
		t.Errorf("of five megabytes: %d bytes, header %q", len(r.Value), headerOf(r, sink.HeaderValueBytes))
	}
	names := []string{}
	for _, h := range all["news/0/19"].Headers {
		names = append(names, h.Key)
	}
	if want := []string{
		"kept", "unecho-verdict", "unecho-source", "unecho-index",
		"unecho-algorithm",
	}; !slices.Equal(names, want) {
		t.Errorf("headers %v, want %v", names, want)
	}
}

// A dry run judges and writes nothing, no verdicts either.
func TestDryRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	telling(&w.setup)
	w.setup.Sink.DryRun = true
	w.produce(300, 71)
	m := w.start()
	w.settled()
	w.ended(m)
	if s := m.Stats(); s.Unique+s.Duplicate != 300 || s.Duplicate == 0 {
		t.Errorf("%d unique, %d duplicate of 300", s.Unique, s.Duplicate)
	}
	if w.cluster.TopicInfo("news.unique") != nil || w.cluster.TopicInfo("news.verdicts") != nil {
		t.Error("outputs were created")
	}
}

// Output batches are compressed by snappy.
func TestCompression(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(60, 73)
	m := w.start(sessions(1))
	w.settled()
	w.ended(m)
	const snappy = 2 // in Kafka's batches
	for _, r := range w.outputs("news.unique", int(m.Stats().Unique)) {
		if got := r.Attrs.CompressionType(); got != snappy {
			t.Errorf("offset %d is compressed by %d, want %d", r.Offset, got, snappy)
		}
	}
	w.audited()
}

// limit lowers the size that a topic accepts after the members have checked it.
func (w *world) limit(topic string, bytes int) {
	w.t.Helper()
	w.configure(topic, "max.message.bytes", fmt.Sprint(bytes))
}

// An output topic refuses a size that it was said to accept. The record that is too large goes to rejected, and its
// neighbours are forwarded.
func TestOutputRefuses(t *testing.T) {
	t.Parallel()
	const most = 4000
	random := rand.New(rand.NewPCG(1, 2))
	large := words(random, 2000)
	for _, c := range []struct {
		name     string
		limited  []string
		culprits []string
		rejected int
		withheld bool
	}{
		{"a unique document", []string{"news.unique"}, []string{large}, 1, false},
		{"a duplicate", []string{"news.duplicate"}, []string{large, large + "edited"}, 1, false},
		{"all, and the rejected topic too", []string{"news.unique", "news.rejected"}, []string{large}, 1, true},
		{"two at once", []string{"news.unique"}, []string{large, words(random, 3000)}, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			m := w.start(sessions(1))
			w.produce(20, 72)
			w.settled()
			for _, topic := range c.limited {
				w.limit(topic, most)
			}
			records := w.documents(60, 73)
			for i, text := range c.culprits {
				at := 20 + 15*i
				records = slices.Insert(records, at, &kgo.Record{Key: []byte("culprit"), Value: []byte(text)})
			}
			w.send(records...)
			w.settled()
			report := w.audited()
			if report.Rejected != c.rejected {
				t.Fatalf("rejected %d, want %d", report.Rejected, c.rejected)
			}
			for _, r := range w.outputs("news.rejected", report.Rejected) {
				withheld := headerOf(r, sink.HeaderValueBytes) != ""
				if headerOf(r, sink.HeaderReason) != string(sink.OutputRefused) || withheld != c.withheld ||
					string(r.Key) != "culprit" {
					t.Errorf("%s %v, withheld: %v, want %v", r.Key, headerOf(r, sink.HeaderReason), withheld, c.withheld)
				}
			}
			if s := m.Stats(); int(s.Rejected[sink.OutputRefused]) != c.rejected {
				t.Errorf("counted %v", s.Rejected)
			}
			// The refused document is forgotten, so this copy does not match it.
			w.send(&kgo.Record{Value: []byte(large), Key: []byte("after")})
			w.settled()
			if report := w.audited(); c.limited[0] == "news.unique" && report.Rejected != c.rejected+1 {
				t.Errorf("a copy of what was refused was judged a duplicate: %s", report.String())
			}
		})
	}
}

// Outputs need take no more than the source accepts. What is larger with its headers, or when it is not compressed, is
// rejected before it is judged, and stops nothing.
func TestOutputsAsLargeAsTheSource(t *testing.T) {
	t.Parallel()
	const most = 20_000
	w := newWorld(t, 1)
	w.limit("news", most)
	for _, output := range []string{"news.unique", "news.duplicate", "news.rejected"} {
		w.create(output, 1, map[string]string{"max.message.bytes": strconv.Itoa(most - 1)})
	}
	w.refusedBy(w.launch(), "max.message.bytes is 19999, and must be at least 20000")
	for _, output := range []string{"news.unique", "news.duplicate", "news.rejected"} {
		w.limit(output, most)
	}
	log := w.logged()
	m := w.start(sessions(1))
	long := words(rand.New(rand.NewPCG(5, 6)), 10_000)
	for _, r := range []*kgo.Record{
		{Value: []byte(long[:most-200])},
		{Value: bytes.Repeat([]byte("word "), 40_000)},
		{Key: bytes.Repeat([]byte("key "), 50_000), Value: []byte("a small document with a large key")},
		{Value: []byte("a small document")},
	} {
		w.send(r) // alone in its batch
	}
	w.settled()
	if report := w.audited(); report.Rejected != 3 || report.Unique != 1 {
		t.Fatalf("got %s", report.String())
	}
	for _, r := range w.outputs("news.rejected", 3) {
		if headerOf(r, sink.HeaderReason) != string(sink.TooLarge) {
			t.Errorf("a record of %d bytes is rejected for %s", len(r.Value), headerOf(r, sink.HeaderReason))
		}
	}
	if !log.has("outputs take smaller records than the settings allow") {
		t.Error("that outputs take less is not said")
	}
	w.ended(m)
}

// No topic accepts the document. The process ends and says which setting to raise, and the documents before it are
// committed.
func TestNothingTakes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	m := w.launch(named("m"), sessions(1))
	w.produce(20, 74)
	w.settled()
	w.limit("news.unique", 100)
	w.limit("news.rejected", 100)
	w.produce(1, 75)
	w.refusedBy(m, "refuses news/0/20", "raise max.message.bytes")
	w.limit("news.unique", int(setting.MiB)+100)
	w.limit("news.rejected", int(setting.MiB)+100)
	w.start(named("m"))
	w.settled()
	w.audited()
}
