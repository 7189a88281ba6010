package session

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
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
		detail, refused := known.Untimely(&kgo.Record{Topic: c.topic, Timestamp: now.Add(c.away)}, now)
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
