package consumer

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/sink"
)

// keyed is a document without words, so that no other is like it, with an idempotency key.
func keyed(key, value string) *kgo.Record {
	return &kgo.Record{
		Value: []byte(value), Headers: []kgo.RecordHeader{{Key: signing.HeaderIdempotencyKey, Value: []byte(key)}},
	}
}

// TestRequest: a document that is sent again with its key, to a group whose members were all replaced meanwhile, is not
// unique once more, although each of its kind is. Another document with the same key is.
func TestRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.setup.Index.Duplicates.Remember.Keys = time.Hour
	first := w.start()
	w.send(keyed("a", ""), keyed("b", ""), &kgo.Record{Value: []byte(" ")})
	w.settled()
	w.start()
	first.kill()
	w.send(keyed("a", ""), keyed("b", "  "), keyed("a", ""))
	w.settled()
	w.audited()
	repeats := w.outputs("news.duplicate", 2)
	for _, r := range repeats {
		if got := headerOf(r, sink.HeaderMethod); got != "resent" {
			t.Errorf("it is a duplicate by %q", got)
		}
		if got := headerOf(r, signing.HeaderIdempotencyKey); got != "" {
			t.Errorf("the key %q is forwarded", got)
		}
	}
	if n := len(w.outputs("news.unique", 4)); n != 4 {
		t.Errorf("%d are unique", n)
	}
}
