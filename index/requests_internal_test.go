package index

import (
	"bytes"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// The bytes of requests are bounded, whatever their ids and matches are, and no account is lost on the way.
func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	q := requests{lasts: 1000}
	long := strings.Repeat("i", 1<<10)
	for i := range 60_000 {
		v := Verdict{Offset: int64(i), Position: entry.Position{Offset: int64(i)}}
		if i%2 == 0 {
			v.Match = Match{Topic: "news", ID: long, Method: compare.Jaccard, Position: entry.Position{Offset: int64(i / 2)}}
		}
		first := newRequest(0, 0, &entry.Entry{Request: entry.Request{byte(i), byte(i >> 8), 1}, ID: []byte(long)}, &v)
		q.makeRoom(first.size())
		q.add(first)
	}
	matched := q.queue[11]
	if matched.match == nil {
		matched = q.queue[12]
	}
	q.erase([]entry.Position{q.queue[9].position, matched.match.Position})
	if matched = q.byHash[matched.hash]; matched.match.ID != "" {
		t.Error("the id of an erased document stays")
	}
	q.forget(q.queue[3].position)
	q.drop(func(first *request) bool { return first.offset%7 == 0 })
	sum := 0
	for _, first := range q.queue {
		sum += first.size()
	}
	if sum != q.bytes || len(q.byHash) != len(q.queue) || sum > MostRequestBytes || sum < MostRequestBytes/2 {
		t.Errorf("%d requests of %d bytes, counted %d, %d by their hashes", len(q.queue), sum, q.bytes, len(q.byHash))
	}
	if encoded := len(q.append(nil)); encoded > q.bytes+10 {
		t.Errorf("they are encoded in %d bytes, and %d are counted", encoded, q.bytes)
	}
	if q.expire(2000); len(q.queue)+len(q.byHash)+q.bytes > 0 {
		t.Errorf("%d requests of %d bytes are left when all are over", len(q.queue), q.bytes)
	}
}

// A capture copies no requests, which take long to encode, and has those of its moment, whatever becomes of them while it
// is encoded.
func TestRequestsAreCaptured(t *testing.T) {
	t.Parallel()
	r, err := NewReplica(DefaultParams(), Fingerprint([]byte(`{}`)))
	if err != nil {
		t.Fatal(err)
	}
	q := &r.requests
	q.lasts = 1000
	for i := range 1000 {
		v := Verdict{Offset: int64(i), Position: entry.Position{Offset: int64(i)}}
		if i%2 == 0 {
			v.Match = Match{Topic: "news", ID: "an id", Method: compare.Jaccard, Position: entry.Position{Offset: int64(i / 2)}}
		}
		q.add(newRequest(0, int64(i), &entry.Entry{Request: entry.Request{byte(i), byte(i >> 8), 1}, ID: []byte("id")}, &v))
	}
	c := r.Capture()
	if n := len(c.state) + len(c.rest); n > 1000 {
		t.Errorf("the stream waits until %d bytes are encoded", n)
	}
	want := c.State()
	for name, change := range map[string]func(){
		"sent again": func() { q.change(q.queue[700], func(now *request) { now.copies++ }) },
		"erased":     func() { q.erase([]entry.Position{q.queue[300].position}) },
		"refused":    func() { q.forget(q.queue[500].position) },
		"dropped":    func() { q.drop(func(first *request) bool { return first.offset%7 == 0 }) },
		"over":       func() { q.expire(1100) },
	} {
		if change(); !bytes.Equal(c.State(), want) {
			t.Errorf("%s: the capture has changed", name)
		}
	}
	if again := q.queue[len(q.queue)-1]; q.byHash[again.hash] != again {
		t.Error("a request is found by its hash as another one than in the queue")
	}
	if now := r.Capture(); bytes.Equal(now.State(), want) {
		t.Error("nothing has changed")
	}
}
