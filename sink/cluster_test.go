package sink_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

func clusters() *sink.Batch {
	p := sink.DefaultParams()
	p.Clusters.Topic = "{source}.clusters"
	return sink.New(p, "articles", algorithm).OfJournal([16]byte{0: 0xff, 15: 1}).NewBatch()
}

// A copy has a record of clusters, whatever becomes of it but a rejection. A request that was sent again has none: it is
// the same document, its ordinal is one of requests, and its match may be a copy.
func TestClusterRecords(t *testing.T) {
	third, resent, refused := duplicate(), duplicate(), duplicate()
	third.Match.Copy, third.Reemitted = 3, true
	resent.Match.Method = compare.Resent
	refused.Reemitted, refused.Forgotten = true, true
	b := clusters()
	var dst, got kgo.Record
	for _, c := range []struct {
		title  string
		fill   func()
		copies string // "": it has none
	}{
		{"a copy", func() { b.Verdict(&dst, source(), duplicate()) }, "1"},
		{"another, let through as unique", func() { b.Verdict(&dst, source(), third) }, "2"},
		{"a request again", func() { b.Verdict(&dst, source(), resent) }, ""},
		{"unique", func() { b.Verdict(&dst, source(), &index.Verdict{}) }, ""},
		{"let through and refused", func() { b.Verdict(&dst, source(), refused) }, ""},
		{"not checked", func() { b.Unchecked(&dst, source(), sink.InOutage) }, ""},
		{"rejected", func() { b.Reject(&dst, source(), sink.OutputRefused, "") }, ""},
	} {
		c.fill()
		is := b.ClusterRecord(&got, source(), entry.Position{Offset: 52, Entry: 3})
		if is != (c.copies != "") {
			t.Errorf("%s: a record %v", c.title, is)
		}
		if !is {
			continue
		}
		want := `{"original":"news/1/17","copies":` + c.copies + `,"first":"2025-12-31T23:59:59.001Z","last":"2026-01-01T00:00:00.123Z",` +
			`"newest":"news/3/42","journal":"_wAAAAAAAAAAAAAAAAAAAQ","journal_offset":52,"journal_entry":3}`
		if string(got.Value) != want || string(got.Key) != "news/1/17 news/3" || got.Topic != "news.clusters" || got.Partition != 3 {
			t.Errorf("%s: %s/%d %s %s, want %s", c.title, got.Topic, got.Partition, got.Key, got.Value, want)
		}
	}
}

// The largest record of clusters is within its bound, and no topic's name needs to be escaped in JSON.
func TestClusterRecordFits(t *testing.T) {
	src, v := source(), duplicate()
	src.Topic, src.Partition, src.Offset = strings.Repeat("s", 249), 1<<31-1, 1<<63-1
	src.Timestamp = time.UnixMilli(1 << 62)
	v.Match.Topic, v.Match.Source.Partition, v.Match.Offset = strings.Repeat("m", 249), 1<<31-1, 1<<63-1
	v.Match.Copy, v.Match.Time = 1<<64-1, -1<<62
	b := clusters()
	var dst, got kgo.Record
	b.Verdict(&dst, src, v)
	if !b.ClusterRecord(&got, src, entry.Position{Offset: 1<<63 - 1, Entry: 1<<31 - 1}) || sink.Size(&got) > sink.MaxClusterBytes {
		t.Errorf("%d bytes, and %d are the most", sink.Size(&got), sink.MaxClusterBytes)
	}
}

// A reader of clusters keeps of each original the record with the greatest position in the journal. Two members may commit
// in another order, and of each key compaction leaves the last record.
func ExampleBatch_ClusterRecord() {
	type record struct {
		Original string `json:"original"`
		Copies   int    `json:"copies"`
		Newest   string `json:"newest"`
		Offset   int64  `json:"journal_offset"`
		Entry    int    `json:"journal_entry"`
	}
	table := map[string]record{}
	for _, value := range []string{
		`{"original":"news/1/17","copies":2,"newest":"news/3/42","journal_offset":52,"journal_entry":3}`,
		`{"original":"news/1/17","copies":3,"newest":"news/0/40","journal_offset":53,"journal_entry":0}`,
		`{"original":"news/1/17","copies":1,"newest":"news/2/41","journal_offset":52,"journal_entry":1}`, // it was committed late
	} {
		var r record
		if err := json.Unmarshal([]byte(value), &r); err != nil {
			fmt.Println(err)
			return
		}
		had, there := table[r.Original]
		if !there || r.Offset > had.Offset || r.Offset == had.Offset && r.Entry > had.Entry {
			table[r.Original] = r
		}
	}
	fmt.Println(table["news/1/17"].Copies, "copies, the newest is", table["news/1/17"].Newest)
	// Output: 3 copies, the newest is news/0/40
}
