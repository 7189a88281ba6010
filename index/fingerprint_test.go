package index_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
)

// What two versions write for the same settings: the later one knows two more, and leaves them out at the values that
// the earlier one had.
const (
	writtenText = `{"duplicates.hash":"xxhash","duplicates.plan":"recall","version":"2 text/3 minhash/2 evidence/1","duplicates.remember.age":"24h"}`
	leftOutText = `{"version":"2 text/3 minhash/2 evidence/1","duplicates.remember.age":"24h"}`
)

func TestSameSettings(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		lines      []string
	}{
		{"two versions", writtenText, leftOutText, nil},
		{"no settings", "x", "x", nil},
		{"another text format", leftOutText, `{"version":"2 text/4 minhash/2 evidence/1","duplicates.remember.age":"24h"}`, []string{
			"version: 2 text/3 minhash/2 evidence/1 here, 2 text/4 minhash/2 evidence/1 in the journal",
		}},
		{
			"another hash", writtenText, `{"duplicates.hash":"sha1","version":"2 text/3 minhash/2 evidence/1","duplicates.remember.age":"24h"}`,
			[]string{
				"duplicates.hash: not set here, sha1 in the journal",
			},
		},
	} {
		a, b := []byte(c.a), []byte(c.b)
		if got := index.Same(a, b); got != (c.lines == nil) {
			t.Errorf("%s: same: %v", c.name, got)
		}
		if lines := index.Diff(a, b); c.a != "x" && !slices.Equal(lines, c.lines) {
			t.Errorf("%s: Diff gives %q; want %q", c.name, lines, c.lines)
		}
	}
}

// Members of two versions work together in a journal that either has begun: they apply each other's records, with the
// same hash.
func TestVersionsWorkTogether(t *testing.T) {
	for _, begun := range []string{writtenText, leftOutText} {
		header := index.Header{Fingerprint: index.Fingerprint([]byte(begun)), Wall: 5}
		source := entry.Source{Topic: [16]byte{1}}
		records := []index.Record{
			&index.Settings{Text: []byte(begun), Wall: 5},
			&index.Routing{Header: header, Routes: index.Routes{Number: 1, Text: []byte(`{}`)}},
			&index.Reposition{Header: header, Source: source, Name: "news", Partitions: 1, Epoch: 1},
			&index.Run{Header: header, Source: source, Epoch: 1, Entries: []entry.Entry{{Offset: 3}, {Offset: 4}}},
			&index.Run{
				Header: index.Header{Fingerprint: header.Fingerprint + 1}, Source: source, Epoch: 1,
				Entries: []entry.Entry{{Offset: 5}},
			},
			&index.Mark{Header: header, Number: 1},
		}
		var hashes []uint64
		for _, own := range []string{writtenText, leftOutText} {
			r, err := index.NewReplica(index.DefaultParams(), index.Fingerprint([]byte(own)))
			if err != nil {
				t.Fatal(err)
			}
			twin := naive.New(index.DefaultParams(), []byte(own), index.Fingerprint([]byte(own)))
			judged := 0
			for i, rec := range records {
				at := index.Stamp{Offset: int64(i), LogAppendTime: 5}
				effect := r.Apply(at, rec)
				if verdicts := twin.Apply(at, rec); !reflect.DeepEqual(verdicts, effect.Judged) {
					t.Errorf("the twin says %+v, the replica %+v", verdicts, effect.Judged)
				}
				judged += len(effect.Judged)
			}
			if judged != 2 || r.Fingerprint() != header.Fingerprint || twin.Fingerprint() != header.Fingerprint ||
				r.Routes().Number != 1 {
				t.Errorf("begun with %s: a member with %s judges %d, and writes %x", begun, own, judged, r.Fingerprint())
			}
			c := r.Capture()
			restore, err := index.NewRestore(index.DefaultParams(), index.Fingerprint([]byte(own)), c.State())
			if err != nil {
				t.Fatal(err)
			}
			restored, err := restore.Replica(nil)
			if err != nil {
				t.Fatal(err)
			}
			if restored.Fingerprint() != header.Fingerprint || restored.Hash() != r.Hash() {
				t.Errorf("restored, it writes %x with hash %x", restored.Fingerprint(), restored.Hash())
			}
			hashes = append(hashes, r.Hash())
		}
		if hashes[0] != hashes[1] {
			t.Errorf("begun with %s, the members have the hashes %x", begun, hashes)
		}
	}
}

// A replica that begins behind the head of a journal takes settings and routing from what it reads.
func TestJournalWithoutHead(t *testing.T) {
	h := index.Header{Fingerprint: index.Fingerprint([]byte(writtenText))}
	r, err := index.NewReplica(index.DefaultParams(), index.Fingerprint([]byte(leftOutText)))
	if err != nil {
		t.Fatal(err)
	}
	r.Await(7)
	r.Apply(index.Stamp{Offset: 7}, &index.Routing{
		Header: index.Header{Fingerprint: 1},
		Routes: index.Routes{Number: 9, Text: []byte(`{"stranger":1}`)},
	})
	r.Apply(index.Stamp{Offset: 8}, &index.Checkpoint{
		Header: h, Offset: 6, Settings: []byte(writtenText),
		Routes: index.Routes{Number: 2, Text: []byte(`{}`)},
	})
	if r.Fingerprint() != h.Fingerprint || r.Routes().Number != 2 {
		t.Errorf("it writes %x by routing %+v", r.Fingerprint(), r.Routes())
	}
}

// A routing whose number was out of date when it was appended counts for no replica, and hides no later one from a
// replica that reads both before it knows the routing in force.
func TestStaleRoutingHidesNone(t *testing.T) {
	h := index.Header{Fingerprint: index.Fingerprint([]byte(leftOutText))}
	r, err := index.NewReplica(index.DefaultParams(), index.Fingerprint([]byte(leftOutText)))
	if err != nil {
		t.Fatal(err)
	}
	r.Await(7)
	for i, number := range []uint32{1, 3, 2} { // 2 is in force at offset 6
		r.Apply(index.Stamp{Offset: int64(7 + i)}, &index.Routing{
			Header: h, Routes: index.Routes{Number: number, Text: fmt.Appendf(nil, `{"number":%d}`, number)},
		})
	}
	r.Apply(index.Stamp{Offset: 10}, &index.Checkpoint{
		Header: h, Offset: 6, Settings: []byte(leftOutText), Routes: index.Routes{Number: 2, Text: []byte(`{}`)},
	})
	if got := r.Routes(); got.Number != 3 || string(got.Text) != `{"number":3}` {
		t.Errorf("the routing in force is %d, %s", got.Number, got.Text)
	}
}
