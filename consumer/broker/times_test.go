package broker

import (
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

func TestTimesOf(t *testing.T) {
	for name, c := range map[string]struct {
		settings map[string]string
		want     Times
	}{
		"nothing known": {nil, AnyTime()},
		"both":          {map[string]string{timestampBefore: "1000", timestampAfter: "2000"}, Times{1000, 2000}},
		"none": {
			map[string]string{timestampBefore: "9223372036854775807", timestampAfter: "9223372036854775807"},
			AnyTime(),
		},
		"of old": {map[string]string{"message.timestamp.difference.max.ms": "1000"}, Times{1000, 1000}},
		"of old, and one": {
			map[string]string{"message.timestamp.difference.max.ms": "1000", timestampAfter: "7"},
			Times{1000, 7},
		},
		"stamped there": {map[string]string{timestampBefore: "1000", "message.timestamp.type": "LogAppendTime"}, AnyTime()},
		"nonsense":      {map[string]string{timestampBefore: "soon"}, AnyTime()},
	} {
		if got := TimesOf(c.settings); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// An output that is created takes any time, whatever its source takes: brokers' clocks may differ.
func TestTimesFor(t *testing.T) {
	const any = "9223372036854775807"
	all := map[string]string{timestampBefore: any, timestampAfter: any}
	for name, c := range map[string]struct{ source, want map[string]string }{
		"nothing known":      {nil, map[string]string{}},
		"Kafka's defaults":   {map[string]string{timestampBefore: any, timestampAfter: "3600000"}, all},
		"more of the future": {map[string]string{timestampBefore: any, timestampAfter: any}, all},
		"less of the past":   {map[string]string{timestampBefore: "1000", timestampAfter: "1000"}, all},
		"stamped there": {
			map[string]string{timestampBefore: any, timestampAfter: "3600000", timestampType: "LogAppendTime"},
			map[string]string{timestampBefore: any, timestampAfter: any, timestampType: "CreateTime"},
		},
		"of old": {map[string]string{"message.timestamp.difference.max.ms": any}, map[string]string{}},
	} {
		if got := timesFor(c.source); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestTimesTake(t *testing.T) {
	const now, margin = int64(1_800_000_000_000), time.Second
	some := Times{Before: 10_000, After: 20_000}
	for _, c := range []struct {
		times              Times
		ms                 int64
		surely, taken, may bool
	}{
		{some, now, true, true, true},
		{some, now - 9500, false, true, true},
		{some, now - 10_500, false, false, true},
		{some, now - 11_500, false, false, false},
		{some, now + 19_500, false, true, true},
		{some, now + 21_500, false, false, false},
		{Times{Before: 500, After: 500}, now, true, true, true},
		{some, -1, true, true, true},
		{some, -2, false, false, false},
		{AnyTime(), -1, true, true, true},
		{AnyTime(), math.MaxInt64, true, true, true},
		{AnyTime(), math.MinInt64, true, true, true},
		{some, math.MaxInt64, false, false, false},
		{some, math.MinInt64, false, false, false},
		{Times{math.MaxInt64 - 1, 0}, 0, true, true, true},
		{Times{10_000, math.MaxInt64 - 1}, now, true, true, true},
	} {
		if a, b, d := c.times.Take(c.ms, now, margin), c.times.Take(c.ms, now, 0),
			c.times.Take(c.ms, now, -margin); a != c.surely || b != c.taken || d != c.may {
			t.Errorf("%+v, %d from now: %v %v %v", c.times, c.ms-now, a, b, d)
		}
	}
}

// Limits on the past are reported whatever the source has. Limits on the future are reported if the source accepts
// more.
func TestUntimely(t *testing.T) {
	topics := NewTopics(client(t, params("127.0.0.1:1")), zerolog.Nop())
	for _, c := range []struct {
		name     string
		from, to Times
		want     []string
	}{
		{"none", AnyTime(), AnyTime(), nil},
		{"Kafka's default on both", Times{math.MaxInt64, 3_600_000}, Times{math.MaxInt64, 3_600_000}, nil},
		{"both sides", AnyTime(), Times{60_000, 3_600_000}, []string{timestampBefore + " is 1m0s, news has no limit", timestampAfter + " is 1h0m0s, news has no limit"}},
		{"the past, as the source", Times{60_000, 1000}, Times{60_000, 1000}, []string{timestampBefore + " is 1m0s, news has 1m0s"}},
	} {
		found := topics.Untimely("news", "news.unique", c.from, c.to)
		if len(found) != len(c.want) {
			t.Errorf("%s: Untimely finds %+v, want %q", c.name, found, c.want)
			continue
		}
		for i, want := range c.want {
			if found[i].What != want ||
				!strings.Contains(found[i].Remedy, "--entity-name news.unique --add-config message.timestamp.") {
				t.Errorf("%s: Untimely finds %+v, want %q and a remedy that alters news.unique", c.name, found[i], want)
			}
		}
	}
}
