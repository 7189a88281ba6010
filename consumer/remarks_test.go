package consumer

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/index"
)

// Most duplicates are doubtful only where enough are, and of those that came since the last look.
func TestMostDuplicatesAreDoubtful(t *testing.T) {
	stats := func(judged, duplicate, doubtful uint64) index.Stats {
		return index.Stats{Judged: judged, Duplicate: duplicate, Doubtful: doubtful}
	}
	for name, c := range map[string]struct {
		before, now index.Stats
		doubtful    uint64
		most        bool
	}{
		"none":                   {stats(0, 0, 0), stats(1000, 500, 0), 0, false},
		"few":                    {stats(0, 0, 0), stats(1000, 99, 99), 99, false},
		"half":                   {stats(0, 0, 0), stats(1000, 200, 100), 100, false},
		"most":                   {stats(0, 0, 0), stats(1000, 199, 100), 100, true},
		"most of the last":       {stats(1000, 900, 0), stats(2000, 1100, 150), 150, true},
		"none of the last":       {stats(1000, 900, 800), stats(2000, 1100, 800), 0, false},
		"a replica built anew":   {stats(1000, 900, 800), stats(500, 400, 390), 0, false},
		"nothing came meanwhile": {stats(1000, 900, 800), stats(1000, 900, 800), 0, false},
	} {
		d := doubts{stats: c.before}
		if doubtful, most := d.since(&c.now); doubtful != c.doubtful || most != c.most {
			t.Errorf("%s: %d doubtful, most of all: %v; want %d, %v", name, doubtful, most, c.doubtful, c.most)
		}
	}
}

// What a choice does not promise is said where the service starts, and nothing of the usual choice.
func TestLimitsAreSaid(t *testing.T) {
	for name, c := range map[string]struct {
		sketch, verify string
		want           []string
	}{
		"the defaults": {"minhash", "jaccard", nil},
		"estimates":    {"minhash", "estimate", []string{`"within":0.069`, "may be off"}},
		"bits":         {"simhash", "jaccard", []string{`"distance":3`, "only a part"}},
		"bits alone":   {"simhash", "estimate", []string{`"distance":3`, "only a part"}},
	} {
		var log bytes.Buffer
		s := &Setup{Index: index.DefaultParams(), Logger: zerolog.New(&log)}
		s.Index.Duplicates.Method, s.Index.Duplicates.Verify = c.sketch, c.verify
		planned, err := s.Index.Planned()
		if err != nil {
			t.Fatal(err)
		}
		s.Index = planned
		s.logLimits()
		if len(c.want) == 0 && log.Len() > 0 {
			t.Errorf("%s: the log says %s; want nothing", name, log.String())
		}
		for _, part := range c.want {
			if !strings.Contains(log.String(), part) {
				t.Errorf("%s: the log says %q; want %s", name, log.String(), part)
			}
		}
	}
}
