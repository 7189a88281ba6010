package index_test

import (
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// A feeder that has counted a document which another one never saw would continue behind what was fed: nothing
// between may be left out, whatever the number of entries says.
func TestFeedLeavesNoOffsetsOut(t *testing.T) {
	p := index.DefaultParams()
	p.Duplicates.Remember.Clock = "event"
	s := newStand(t, p)
	r, h, source, apply := s.replica, s.record.Header, s.record.Source, s.next
	feed := func(first uint64, from, at int64) bool {
		return apply(&index.Feed{
			Header: h, First: first, Parts: []index.FeedPart{{Source: source, Epoch: 1, From: from, Through: at + 1}},
			Entries: []index.FedEntry{{At: at, Entry: entry.Entry{Offset: at}}},
		}).Applied
	}
	if !feed(0, 0, 3) {
		t.Fatal("the first feed changes nothing")
	}
	if feed(1, 5, 6) || r.Fed(source).Through != 4 {
		t.Errorf("a feed from 5 is taken where 4 is next: fed is %+v", r.Fed(source))
	}
	if !feed(1, 4, 6) || r.Fed(source).Through != 7 {
		t.Errorf("a feed that goes on is not taken: fed is %+v", r.Fed(source))
	}
	if !feed(0, 0, 3) || r.FedEntries() != 2 {
		t.Errorf("what was fed before is not passed over: %d entries", r.FedEntries())
	}
}

// The same of a fill: a feeder that has counted a document which another one never saw leaves out what is between.
func TestFillLeavesNoOffsetsOut(t *testing.T) {
	r, err := index.NewReplica(index.DefaultParams(), index.Fingerprint(settings))
	if err != nil {
		t.Fatal(err)
	}
	h, source := index.Header{Fingerprint: index.Fingerprint(settings)}, entry.Source{Topic: [16]byte{1}}
	offset := int64(0)
	apply := func(rec index.Record) index.Effect {
		offset++
		return r.Apply(index.Stamp{Offset: offset}, rec)
	}
	apply(&index.Settings{Text: settings})
	apply(&index.Fill{Header: h, Number: 1, Plan: []byte("a plan")})
	fill := func(first uint64, from, at int64) bool {
		return apply(&index.Fill{
			Header: h, Number: 1, First: first,
			Parts:   []index.FillPart{{Source: source, Name: "news", From: from, Through: at + 1}},
			Entries: []index.FedEntry{{At: at, Entry: entry.Entry{Offset: at}}},
		}).Applied
	}
	if !fill(0, 0, 3) {
		t.Fatal("the first record changes nothing")
	}
	if fill(1, 5, 6) || r.FilledPart(source).Through != 4 || r.Filled().Entries != 1 {
		t.Errorf("a record from 5 is taken where 4 is next: filled is %+v", r.FilledPart(source))
	}
	if !fill(1, 4, 6) || r.FilledPart(source).Through != 7 {
		t.Errorf("a record that goes on is not taken: filled is %+v", r.FilledPart(source))
	}
	if !fill(0, 0, 3) || r.Filled().Entries != 2 {
		t.Errorf("what was brought before is not passed over: %d entries", r.Filled().Entries)
	}
}
