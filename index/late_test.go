package index_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
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
			settings := []byte("{}")
			fingerprint := index.Fingerprint(settings)
			r, err := index.NewReplica(p, fingerprint)
			if err != nil {
				t.Fatal(err)
			}
			signer, err := index.NewSigner(p)
			if err != nil {
				t.Fatal(err)
			}
			twin := naive.New(p, settings, fingerprint)
			h, at := index.Header{Fingerprint: fingerprint, Wall: start + 3_600_000}, int64(0)
			apply := func(rec index.Record) (e index.Effect, theirs []index.Verdict) {
				stamp := index.Stamp{Offset: at, LogAppendTime: h.Wall}
				at++
				return r.Apply(stamp, rec), twin.Apply(stamp, rec)
			}
			apply(&index.Settings{Text: settings, Wall: h.Wall})
			for i := range int32(2) {
				apply(&index.Reposition{Header: h, Source: entry.Source{Partition: i}, Name: "news", Partitions: 2, Epoch: 1})
			}
			for i, d := range c.documents {
				e := entry.Entry{Offset: int64(i), Time: start + d.at.Milliseconds()}
				signer.Sign(&e, fmt.Append(nil, "the text of document ", i))
				effect, theirs := apply(&index.Run{Header: h, Source: entry.Source{Partition: d.partition}, Epoch: 1, Entries: []entry.Entry{e.Clone()}})
				if len(effect.Judged) != 1 || effect.Judged[0].Late != d.late || len(theirs) != 1 || theirs[0].Late != d.late {
					t.Errorf("document %d: %+v, and by the twin %+v; want it %d s late", i, effect.Judged, theirs, d.late)
				}
			}
		})
	}
}
