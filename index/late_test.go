package index_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// A document is late by what lies between its time and the latest one so far, of any partition, if that is more than
// the bound.
func TestLateDocuments(t *testing.T) {
	t.Parallel()
	const start = int64(1_700_000_000_000)
	type one struct {
		partition int32
		at        time.Duration // from the start
		late      int64
	}
	for name, c := range map[string]struct {
		late      time.Duration
		clock     string
		documents []one
	}{
		"across partitions": {time.Minute, "event", []one{
			{0, 10 * time.Minute, 0}, {1, 9 * time.Minute, 0}, {1, 9*time.Minute - time.Millisecond, 60}, {0, 0, 600}, {1, 11 * time.Minute, 0}, {0, 10 * time.Minute, 0},
		}},
		"by arrival": {time.Minute, "arrival", []one{{0, 10 * time.Minute, 0}, {0, 0, 0}}},
		"no time":    {time.Second, "event", []one{{0, 10 * time.Minute, 0}, {0, -time.Duration(start) * time.Millisecond, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := index.DefaultParams()
			p.Duplicates.Remember.Tolerance, p.Duplicates.Remember.Clock = c.late, c.clock
			if wrong := p.Validate(); len(wrong) > 0 {
				t.Fatalf("the settings are refused: %v", wrong)
			}
			s := barePair(t, p)
			s.at.LogAppendTime = start + 3_600_000
			s.apply(&index.Settings{Text: settings, Wall: s.at.LogAppendTime})
			for i := range int32(2) {
				s.apply(&index.Reposition{Header: s.header(), Source: source(i), Name: "news", Partitions: 2, Epoch: 1})
			}
			for i, d := range c.documents {
				e := entry.Entry{Offset: int64(i), Time: start + d.at.Milliseconds()}
				s.signer.Sign(&e, fmt.Append(nil, "the text of document ", i))
				judged := s.apply(&index.Run{Header: s.header(), Source: source(d.partition), Epoch: 1, Entries: []entry.Entry{e.Clone()}})
				if len(judged) != 1 || judged[0].Late != d.late {
					t.Errorf("document %d: %+v; want it %d s late", i, judged, d.late)
				}
			}
		})
	}
}
