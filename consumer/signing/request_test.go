package signing

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/entry"
)

// A request is the same for the same key and document, wherever the record came to, and another for all else.
func TestRequestOf(t *testing.T) {
	t.Parallel()
	all, err := document.New(document.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	p := document.DefaultParams()
	p.Scope = "partition"
	byPartition, err := document.New(p)
	if err != nil {
		t.Fatal(err)
	}
	of := func(reader *document.Reader, key, recordKey, value, id string, scope uint64) entry.Request {
		r := &kgo.Record{Key: []byte(recordKey), Value: []byte(value), Headers: []kgo.RecordHeader{
			{Key: HeaderIdempotencyKey, Value: []byte("an earlier header")}, {Key: HeaderIdempotencyKey, Value: []byte(key)},
		}}
		return RequestOf(reader, r, &document.Document{ID: []byte(id), Scope: scope})
	}
	same := of(all, "k", "r", "v", "i", 1)
	if same == (entry.Request{}) || same != of(all, "k", "r", "v", "i", 1) {
		t.Error("the same is another request")
	}
	for _, other := range []entry.Request{
		of(all, "K", "r", "v", "i", 1), of(all, "k", "R", "v", "i", 1), of(all, "k", "r", "V", "i", 1),
		of(all, "k", "r", "v", "I", 1), of(all, "k", "r", "v", "i", 2), of(all, "kr", "", "v", "i", 1),
	} {
		if other == same {
			t.Error("another is the same request")
		}
	}
	if of(byPartition, "k", "r", "v", "i", 1) != of(byPartition, "k", "r", "v", "i", 2) {
		t.Error("in another partition it is another request")
	}
	for _, key := range []string{"", strings.Repeat("k", MaxIdempotencyKey+1)} {
		if of(all, key, "r", "v", "i", 1) != (entry.Request{}) {
			t.Errorf("%d bytes are a key", len(key))
		}
	}
	if RequestOf(all, &kgo.Record{}, &document.Document{}) != (entry.Request{}) {
		t.Error("without a key it is a request")
	}
}
