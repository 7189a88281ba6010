package journal

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

func records() []index.Record {
	h := index.Header{Fingerprint: 0xfeed, Wall: 1_790_000_000_000}
	source := entry.Source{Topic: [16]byte{1, 2, 3}, Partition: 7}
	text := []byte(`{"version":"1"}`)
	digest := bytes.Repeat([]byte{0xd1}, entry.DigestBytes)
	return []index.Record{
		&index.Settings{Text: text, Wall: 5},
		&index.Run{Header: h, Source: source, Epoch: 3, Base: 41},
		&index.Run{Header: h, Source: source, Epoch: 3, Base: 41, Entries: []entry.Entry{
			{Offset: 50, Time: 1000, Kind: entry.Text, Content: 9, Keys: []byte{1, 2, 3, 4}, Digest: digest, Evidence: []byte("e"), ID: []byte("x")},
			{Offset: 51, Time: 900},
			{Offset: 70, Time: 901, Kind: entry.Sketch, Content: 9, Scope: 2, Keys: []byte{5, 6, 7, 8}, Digest: digest, Evidence: []byte("sketch")},
		}},
		&index.Reposition{Header: h, Source: source, Name: "news", Partitions: 8, Offset: 12, Epoch: 4},
		&index.Forget{Header: h, Target: entry.Position{Offset: 99, Entry: 3}},
		&index.Checkpoint{
			Header: h, Member: "unecho-0", Offset: 1 << 40, Hash: 1 << 63, Settings: text,
			Routes: index.Routes{Number: 7, Text: text},
		},
		&index.Checkpoint{
			Header: h, Member: "unecho-0", Offset: 9, Hash: 10, Settings: text, Routes: index.Routes{Number: 7, Text: text},
			Bounds: index.Bounds{Number: 3, Text: []byte(`{"duplicates.remember.documents":5}`)},
		},
		&index.Accusation{Header: h, Member: "unecho-0", Accused: "unecho-1", Offset: 1 << 40, Hash: 1 << 63},
		&index.Mark{Header: h, Number: 1<<63 + 5},
		&index.Routing{Header: h, Routes: index.Routes{Number: 1 << 31, Text: text}},
		&index.Feed{Header: h, First: 1 << 40, Parts: []index.FeedPart{
			{Source: source, Epoch: 1, From: 17, Through: 71},
			{Epoch: 2, Through: 9},
		}, Entries: []index.FedEntry{
			{Part: 1, At: 2000, Entry: entry.Entry{Offset: 8, Time: 1000}},
			{At: 2000, Entry: entry.Entry{Offset: 50, Time: 1000, Kind: entry.Text, Content: 9, Keys: []byte{1, 2, 3, 4}, Digest: digest, Evidence: []byte("e"), ID: []byte("x")}},
			{At: 2001, Entry: entry.Entry{Offset: 70, Time: 901, Kind: entry.Sketch, Content: 9, Keys: []byte{5, 6, 7, 8}, Digest: digest, Evidence: []byte("s")}},
		}},
		&index.Fill{Header: h, Number: 1<<32 - 1, Plan: text},
		&index.Fill{Header: h, Number: 2, First: 1 << 40, Parts: []index.FillPart{
			{Source: source, Name: "news", From: 17, Through: 71, Rejected: 1 << 33}, {Name: "old news", Through: 9},
		}, Entries: []index.FedEntry{
			{Part: 1, At: 2000, Entry: entry.Entry{Offset: 8, Time: 1000}},
			{At: 2001, Entry: entry.Entry{Offset: 70, Time: 901, Kind: entry.Sketch, Content: 9, Keys: []byte{5, 6, 7, 8}, Digest: digest, Evidence: []byte("s")}},
		}},
		&index.SettingsChange{Header: h, Bounds: index.Bounds{Number: 1 << 31, Text: []byte(`{"duplicates.remember.age":"2h"}`)}},
		&index.Erase{Header: h, Targets: []entry.Position{{Offset: 99, Entry: 3}, {Offset: 1 << 40}, {Offset: 7, Entry: -1}}},
		&index.Run{Header: h, Source: source, Epoch: 3, Base: 41, Entries: []entry.Entry{
			{Offset: 50, Time: 1000, Request: entry.Request{1, 2, 3}},
			{Offset: 51, Time: 900},
			{
				Offset: 70, Time: 901, Kind: entry.Sketch, Content: 9, Keys: []byte{5, 6, 7, 8}, Digest: digest, Evidence: []byte("sketch"),
				Request: entry.Request{15: 9},
			},
		}},
	}
}

func TestRoundTrip(t *testing.T) {
	var d Decoder
	for _, rec := range records() {
		value := Append(nil, rec)
		got, err := d.Decode(value)
		if err != nil {
			t.Fatalf("Decode of an appended %T returns error %v", rec, err)
		}
		if again := Append(nil, got); !bytes.Equal(again, value) {
			t.Errorf("%T: %+v became %+v", rec, rec, got)
		}
		if !carriesEntries(rec) && !reflect.DeepEqual(got, rec) {
			t.Errorf("%+v became %+v", rec, got)
		}
		for n := range value {
			if _, err := Decode(value[:n]); err == nil {
				t.Errorf("%T: %d of %d bytes decode", rec, n, len(value))
			}
		}
		if _, err := Decode(append(bytes.Clone(value), 0)); err == nil {
			t.Errorf("%T: a byte too many decodes", rec)
		}
	}
}

func carriesEntries(rec index.Record) bool {
	switch rec.(type) {
	case *index.Run, *index.Feed, *index.Fill:
		return true
	}
	return false
}

func FuzzDecode(f *testing.F) {
	for _, rec := range records() {
		f.Add(Append(nil, rec))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		rec, err := Decode(value)
		if err != nil {
			return
		}
		first := Append(nil, rec)
		again, err := Decode(first)
		if err != nil {
			t.Fatalf("%+v does not decode again: %v", rec, err)
		}
		if !bytes.Equal(first, Append(nil, again)) {
			t.Fatalf("%+v became %+v", rec, again)
		}
	})
}
