package backfill

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index/entry"
)

func TestParseBound(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	at := func(year int, month time.Month, day, hour, minute, second int) Bound {
		return Bound{kind: atTime, at: time.Date(year, month, day, hour, minute, second, 0, time.UTC)}
	}
	back := func(d time.Duration) Bound { return Bound{kind: atTime, at: now.Add(-d)} }
	for text, want := range map[string]Bound{
		"start":                     Start(),
		"end":                       End(),
		"2026-01-01":                at(2026, 1, 1, 0, 0, 0),
		"2026-01-01T09:30:15Z":      at(2026, 1, 1, 9, 30, 15),
		"2026-01-01T09:30:15+02:00": at(2026, 1, 1, 7, 30, 15),
		"2026-01-01T09:30":          at(2026, 1, 1, 9, 30, 0),
		"2026-01-01 09:30:15":       at(2026, 1, 1, 9, 30, 15),
		"-24h":                      back(24 * time.Hour),
		"- 90m":                     back(90 * time.Minute),
		"2h ago":                    back(2 * time.Hour),
		"7d ago":                    back(7 * 24 * time.Hour),
		"-2w":                       back(14 * 24 * time.Hour),
		"0":                         {kind: atOffset},
		"1234":                      {kind: atOffset, all: 1234},
		"0=100, 1=250":              {kind: atOffsets, each: map[entry.PartitionName]int64{entry.Name("", 0): 100, entry.Name("", 1): 250}},
		"news/0=100,a/b/12=7":       {kind: atOffsets, each: map[entry.PartitionName]int64{entry.Name("news", 0): 100, entry.Name("a/b", 12): 7}},
	} {
		got, err := ParseBound(text, now)
		if got.kind == atTime && got.at.Equal(want.at) {
			got.at = want.at
		}
		want.Text = text
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParseBoundRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"":                    "no time and no offset",
		"yesterday":           "no time and no offset",
		"24h":                 "-24h",
		"-7":                  "no time and no offset",
		"--24h":               "no time and no offset",
		"99999d ago":          "no time and no offset",
		"2026-13-01":          "no time and no offset",
		"9223372036854775808": "no time and no offset",
		"0=":                  `"0=" in "0=" is no offset`,
		"0=1,x=2":             `"x=2" in "0=1,x=2"`,
		"0=-1":                "is no offset of a partition",
		"0=1,0=2":             "names partition 0 twice",
		"2147483648=1":        "is no offset of a partition",
	} {
		if got, err := ParseBound(text, time.Unix(1<<30, 0)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %+v, %v; want %q", text, got, err, says)
		}
	}
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"news": true, "A.b_c-9": true, strings.Repeat("n", 225): true,
		"": false, "a/b": false, "é": false, strings.Repeat("n", 226): false,
	} {
		if err := CheckName(name); (err == nil) != ok {
			t.Errorf("CheckName(%q) returns error %v; want the name allowed: %t", name, err, ok)
		}
	}
	if n := len(JournalOf(strings.Repeat("n", 225))); n != longestTopic {
		t.Errorf("the longest journal has %d characters", n)
	}
}
