package outputs

import (
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/sink"
)

// What no output would take by the limits known is rejected before it is judged, what one of them would is judged.
func TestUntimely(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	hour := broker.Times{Before: time.Hour.Milliseconds(), After: time.Hour.Milliseconds()}
	known := &Times{of: map[string]outputTimes{
		"both": {unique: hour, duplicate: hour, rejected: hour},
		"one":  {unique: hour, duplicate: broker.AnyTime(), rejected: hour},
	}}
	for _, c := range []struct {
		topic string
		away  time.Duration
		want  string
	}{
		{"both", -30 * time.Minute, ""},
		{"both", -time.Hour - 4*time.Second, ""}, // clocks differ: the broker decides
		{"both", -time.Hour - 6*time.Second, "its timestamp is 1h0m6s before the present, and the output topics take none such"},
		{"both", 2 * time.Hour, "its timestamp is 2h0m0s after the present, and the output topics take none such"},
		{"one", -48 * time.Hour, ""},
		{"unknown", -48 * time.Hour, ""},
	} {
		detail, refused := known.untimely(&kgo.Record{Topic: c.topic, Timestamp: now.Add(c.away)}, now)
		if detail != c.want || refused != (c.want != "") {
			t.Errorf("%s, %v away: Untimely = %q, %t; want %q, %t", c.topic, c.away, detail, refused, c.want, c.want != "")
		}
	}
}

// A machine whose clock is off by hours rejects nothing that brokers would take: it goes by theirs, as far as it knows it.
func TestTheBrokersTimeCounts(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	for name, c := range map[string]struct {
		ahead, said, want time.Duration
	}{
		"nothing is known":                   {0, -now.Sub(time.UnixMilli(0)), 0},
		"ahead":                              {2 * time.Hour, -2*time.Hour - time.Second, -2 * time.Hour},
		"behind":                             {-2 * time.Hour, 2*time.Hour - time.Second, 2 * time.Hour},
		"behind, before it appends anything": {0, 2 * time.Hour, 2 * time.Hour},
		"the journal is quiet":               {0, -time.Hour, 0},
	} {
		if got := corrected(now, c.ahead, now.Add(c.said).UnixMilli()).Sub(now); got != c.want {
			t.Errorf("%s: the present is taken to be %v from this machine's, want %v", name, got, c.want)
		}
	}
}

// Where clocks were not compared lately nothing is foreseen: a document that a good clock would let pass is judged, and what
// is appended for that compares them. All members of a backfill go by one moment, whatever their clocks say.
func TestNothingIsForeseenByAnOldComparison(t *testing.T) {
	hour := broker.Times{Before: time.Hour.Milliseconds(), After: time.Hour.Milliseconds()}
	now := time.Now()
	c := &Clock{
		Mode: protocol.NewMode(nil), Log: &journal.Log{},
		Times: &Times{of: map[string]outputTimes{"news": {unique: hour, duplicate: hour, rejected: hour}}},
	}
	old := &kgo.Record{Topic: "news", Timestamp: now.Add(-48 * time.Hour)}
	if detail, untimely := c.Untimely(old); untimely {
		t.Errorf("nothing was appended yet, and a document is foreseen as untimely: %q; want that it is judged", detail)
	}
	c.Mode = protocol.NewMode(&protocol.Plan{Fixed: now.UnixMilli()})
	if _, untimely := c.Untimely(old); !untimely {
		t.Error("in a backfill a document of two days before its moment is judged; want that it is foreseen as untimely")
	}
}

// A topic that refuses the present time gets records without one. The others get theirs on.
func TestOneTopicRefusesThePresent(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	times := NewTimes(sink.DefaultParams())
	before := times.presence(now)
	for i, want := range []bool{true, false} {
		if news := times.refuse("news.rejected", time.Now()); news != want {
			t.Errorf("refusal %d of a topic is news: %t, want %t", i+1, news, want)
		}
	}
	if !times.refuse("views.rejected", time.Now().Add(-mistrust)) {
		t.Error("the first refusal of another topic is no news, want that it is told too")
	}
	for topic, want := range map[string]time.Time{
		"news.rejected": time.UnixMilli(broker.Untimed), "views.rejected": now, "news.verdicts": now,
	} {
		if got := times.presence(now).In(topic); !got.Equal(want) {
			t.Errorf("records of %s get %v, want %v", topic, got, want)
		}
		if got := before.In(topic); !got.Equal(now) {
			t.Errorf("a batch that was sent before gives records of %s %v, want %v", topic, got, now)
		}
	}
}

// Where a topic refuses a time, and nothing was appended lately, a mark is: also where no document is judged, clocks are
// compared. One comparison is enough for a while.
func TestARefusedTimeComparesClocks(t *testing.T) {
	brokers, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "journal", "news.unique", "news.duplicate", "news.rejected"))
	if err != nil {
		t.Fatal(err)
	}
	defer brokers.Close()
	p := journal.DefaultParams()
	p.Topic = "journal"
	client, err := kgo.NewClient(append(journal.AppenderOptions(p), kgo.SeedBrokers(brokers.ListenAddrs()...))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c := &Clock{
		Times: NewTimes(sink.DefaultParams()), Mode: protocol.NewMode(nil), Client: client, Logger: zerolog.Nop(),
		Log: journal.NewLog(client, "journal", [16]byte{}, "group", 0, time.Second, zerolog.Nop()),
	}
	for range 2 { // which its follower has not read yet
		c.Refused(t.Context(), "news")
	}
	c.Log.Stamped(0, time.Now().UnixMilli()) // as its follower notes it
	c.compare(t.Context())
	if _, end, err := c.Log.Range(t.Context()); end != 1 || err != nil || !c.foresees() {
		t.Errorf("after two refusals the journal has %d marks, error %v, and clocks are compared: %t; want one mark, and that they are",
			end, err, c.foresees())
	}
}
