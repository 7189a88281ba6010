package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// TestDocument: an original, a copy, and all the ways in which nothing is remembered.
func TestDocument(t *testing.T) {
	d := serve(t, newFake(t), nil)
	code, got := d.do("GET", "/api/v1/document/news/2/0", "")
	if code != http.StatusOK || got["verdict"] != "unique" || got["id"] != "doc-0" || got["copies"] != 1.0 ||
		got["in_window"] != true || got["match"] != nil ||
		at(got, "leaves", "bound") != "age" || at(got, "leaves", "at") != "2023-11-15T22:13:20.002Z" || got["text"] != nil {
		t.Errorf("the original: %d %v", code, got)
	}
	code, got = d.do("GET", "/api/v1/document/news/2/1", "")
	if code != http.StatusOK || got["verdict"] != "duplicate" || got["in_window"] != false ||
		at(got, "match", "offset") != 0.0 || at(got, "match", "method") != "jaccard" {
		t.Errorf("the copy: %d %v", code, got)
	}
	for _, c := range []struct {
		path, says string
		code       int
	}{
		{"news/2/2", "judged up to offset 2", 404},
		{"news/0/0", "judged nothing of news/0", 404},
		{"blog/2/0", "judged nothing of blog/2", 404},
		{"news/2/x", "named by topic", 400},
		{"news/-1/0", "named by topic", 400},
		{"news/2/0?text=perhaps", "1 or 0", 400},
		{"news/2/0?text=1", "http.show_text", 403},
	} {
		if code, got := d.do("GET", "/api/v1/document/"+c.path, ""); code != c.code ||
			!strings.Contains(fmt.Sprint(got["error"]), c.says) || got["remedy"] == "" {
			t.Errorf("%s: %d %v; want %d, %q", c.path, code, got, c.code, c.says)
		}
	}
}

// TestDocumentAside: that a document went on unchecked does not hide what was found of it since, and of a topic that was
// deleted nothing is said of that which has its name.
func TestDocumentAside(t *testing.T) {
	service := newFake(t)
	other := fakeSource()
	other.Topic[0]++
	service.stats.LastUnchecked = map[sink.UncheckedReason][]consumer.Example{sink.InOutage: {{Source: fakeSource(), Topic: "news", Offset: 1}}}
	service.stats.LastRejected = map[sink.Reason][]consumer.Example{sink.Empty: {{Source: other, Topic: "news"}}}
	d := serve(t, service, nil)
	if _, got := d.do("GET", "/api/v1/document/news/2/1", ""); got["verdict"] != "duplicate" || got["reason"] != string(sink.InOutage) {
		t.Errorf("a copy that went on unchecked is %v, want a duplicate with the reason %s", got, sink.InOutage)
	}
	if _, got := d.do("GET", "/api/v1/document/news/2/0", ""); got["verdict"] != "unique" || got["reason"] != nil {
		t.Errorf("a document is %v, want unique: another topic's was rejected", got)
	}
}

// TestDocumentOfTopicMadeAnew: where a topic was deleted and made again, a document is that of the topic there is now.
func TestDocumentOfTopicMadeAnew(t *testing.T) {
	service := newFake(t)
	now := fakeSource()
	now.Topic[0]++
	header := index.Header{Fingerprint: index.Fingerprint([]byte(`{}`))}
	at := &index.Reposition{Header: header, Source: now, Name: "news", Partitions: 4, Epoch: 1}
	service.replica.Apply(index.Stamp{Offset: 3, LogAppendTime: 1_700_000_000_100}, at)
	d := serve(t, service, nil)
	if _, got := d.do("GET", "/api/v1/document/news/2/1", ""); got["verdict"] != "duplicate" {
		t.Errorf("a copy of the deleted topic is %v; want a duplicate: the new topic has nothing there", got)
	}
	at.Offset, at.Epoch = 2, 2
	service.replica.Apply(index.Stamp{Offset: 4, LogAppendTime: 1_700_000_000_101}, at)
	service.stats.LastRejected = map[sink.Reason][]consumer.Example{sink.Empty: {
		{Source: now, Topic: "news", Offset: 0}, {Source: now, Topic: "news", Offset: 1},
	}}
	for _, path := range []string{"news/2/0", "news/2/1"} {
		_, got := d.do("GET", "/api/v1/document/"+path, "")
		if got["verdict"] != "rejected" || got["reason"] != string(sink.Empty) || got["match"] != nil {
			t.Errorf("%s is %v, want rejected: the deleted topic's is another", path, got)
		}
	}
}

// TestDocumentIsGone: what was judged and is in no memory any more.
func TestDocumentIsGone(t *testing.T) {
	service := newFake(t)
	forget := &index.Forget{
		Header: index.Header{Fingerprint: index.Fingerprint([]byte(`{}`))},
		Target: entry.Position{Offset: 2},
	}
	service.replica.Apply(index.Stamp{Offset: 3, LogAppendTime: 1_700_000_000_100}, forget)
	commit := &index.Run{Header: forget.Header, Source: fakeSource(), Epoch: 1, Base: 2}
	service.replica.Apply(index.Stamp{Offset: 4, LogAppendTime: 1_700_000_000_101}, commit)
	if code, got := serve(t, service, nil).do("GET", "/api/v1/document/news/2/0", ""); code != http.StatusNotFound ||
		!strings.Contains(fmt.Sprint(got["error"]), "nothing is remembered") {
		t.Errorf("a forgotten document is answered %d %v; want %d: nothing is remembered", code, got, http.StatusNotFound)
	}
	service.record = func(int64) (document.Input, error) { return document.Input{Value: []byte("the text")}, nil }
	code, got := serve(t, service, func(s *Setup) { s.ShowText = true }).do("GET", "/api/v1/document/news/2/0?text=1", "")
	if code != http.StatusOK || got["verdict"] != "unknown" || got["match"] != nil || at(got, "text", "text") != "the text" {
		t.Errorf("its text is answered %d %v; want %d and a verdict that is unknown", code, got, http.StatusOK)
	}
	for err, code := range map[error]int{member.ErrBusy: 429, member.ErrNoReplica: 503, errors.New("x"): 500} {
		service.fails = err
		if got, _ := serve(t, service, nil).do("GET", "/api/v1/document/news/2/0", ""); got != code {
			t.Errorf("%v: %d, want %d", err, got, code)
		}
	}
}

// TestDocumentText: the text is what is compared, and what is long is cut.
func TestDocumentText(t *testing.T) {
	service := newFake(t)
	json := func(s *Setup) {
		s.ShowText = true
		s.Sources[0].Reading.Format, s.Sources[0].Reading.Fields = "json", []string{"title", "body"}
	}
	for name, c := range map[string]struct {
		value string
		err   error
		code  int
		want  map[string]any
	}{
		"fields": {
			`{"body": "of <b>it</b>", "title": "A title", "x": 1}`, nil, 200,
			map[string]any{"text": "A title\nof <b>it</b>", "cut": false, "raw_bytes": 52.0},
		},
		"long": {
			`{"title": "é", "body": "` + strings.Repeat("é", maxText) + `"}`, nil, 200,
			map[string]any{"text": "é\n" + strings.Repeat("é", maxText/2-2), "cut": true, "raw_cut": true},
		},
		"rejected": {`{`, nil, 200, map[string]any{"rejected": "invalid_json", "raw": "{", "text": ""}},
		"gone": {
			"", fmt.Errorf("read: %w", topic.ErrNoRecord), 200,
			map[string]any{"missing": "the record is gone by retention or compaction"},
		},
		"other": {
			"", fmt.Errorf("read: %w", topic.ErrOther), 200,
			map[string]any{"missing": "the topic was deleted and created again since"},
		},
		"away": {"", errors.New("no broker"), 502, nil},
	} {
		t.Run(name, func(t *testing.T) {
			service.record = func(int64) (document.Input, error) { return document.Input{Value: []byte(c.value)}, c.err }
			code, got := serve(t, service, json).do("GET", "/api/v1/document/news/2/1?text=1", "")
			if code != c.code {
				t.Fatalf("the document with its text is answered %d %.300v; want %d", code, got, c.code)
			}
			for key, want := range c.want {
				if v := at(got, "text", key); v != want {
					t.Errorf("%s is %.80v, want %.80v", key, v, want)
				}
			}
		})
	}
}

// TestTextOfACopy: the text of a copy that is among the last takes no search of the window, unless the window has copies.
func TestTextOfACopy(t *testing.T) {
	service := newFake(t)
	service.record = func(int64) (document.Input, error) { return document.Input{Value: []byte("the text")}, nil }
	service.fails = member.ErrBusy
	for _, compare := range []bool{false, true} {
		d := serve(t, service, func(s *Setup) { s.ShowText, s.Index.Duplicates.CompareCopies = true, compare })
		for offset, want := range []int{http.StatusTooManyRequests, map[bool]int{false: 200, true: 429}[compare]} {
			if code, got := d.do("GET", fmt.Sprintf("/api/v1/document/news/2/%d?text=1", offset), ""); code != want ||
				code == http.StatusOK && (got["verdict"] != "duplicate" || at(got, "text", "text") != "the text") {
				t.Errorf("compare_copies %v: %d is answered %d %v; want %d", compare, offset, code, got, want)
			}
		}
	}
}

// TestLeaves: the bound that bites first is told, at the rate at which documents enter.
func TestLeaves(t *testing.T) {
	p := index.DefaultParams()
	p.Duplicates.Remember.Age, p.Duplicates.Remember.Documents, p.Duplicates.Remember.Memory = time.Hour, 1000, 0
	s := &index.Stats{Now: 1_700_000_000_000, Documents: 1000, WindowBytes: 100_000}
	k := &index.Known{Seen: s.Now - time.Minute.Milliseconds(), Older: 59}
	if l := newLeaves(&p, k, s, 0); l.Bound != "age" || l.At.String() != "2023-11-14T23:12:20.000Z" || !l.Count.IsZero() {
		t.Errorf("nothing enters: %+v", l)
	}
	if l := newLeaves(&p, k, s, 2); l.Bound != "documents" || l.At.String() != "2023-11-14T22:13:50.000Z" ||
		l.Age.String() != "2023-11-14T23:12:20.000Z" {
		t.Errorf("it is the 60th to leave, and two enter each second: %+v", l)
	}
	p.Duplicates.Remember.Memory, k.OlderPart = 100_000, 1900
	if l := newLeaves(&p, k, s, 2); l.Bound != "memory" || l.At.String() != "2023-11-14T22:13:30.000Z" {
		t.Errorf("20 documents of 100 bytes: %+v", l)
	}
	if l := newLeaves(&p, k, s, 1e-12); l.Bound != "age" || !l.Count.IsZero() || !l.Bytes.IsZero() {
		t.Errorf("in millions of years: %+v", l)
	}
}
