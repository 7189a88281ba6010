package consumer

import (
	"bytes"
	"errors"
	"testing"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/entry"
)

// TestFind: what a member remembers of a document is found by its coordinates, and its record is read from the topic.
func TestFind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	records := w.documents(100, 1)
	w.send(records...)
	early, err := New(w.setup)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := early.Find(w.context(), "news", 0, 7); !errors.Is(err, member.ErrNoReplica) {
		t.Errorf("before it runs: %v", err)
	}
	m := w.start()
	w.settled()
	found, err := m.Find(w.context(), "news", 0, 0)
	if err != nil || found.Known == nil || found.Known.Offset != 0 || found.Known.Topic != "news" || found.Reached != 100 {
		t.Fatalf("Find of news/0/0 = %+v (known: %+v), error %v; want the document known, and 100 reached", found, found.Known, err)
	}
	if far, err := m.Find(w.context(), "news", 0, 1000); err != nil || far.Known != nil || !far.Partition {
		t.Errorf("what is not there: %+v, %v", far, err)
	}
	source := found.Known.Source
	in, err := m.Record(w.context(), source, "news", 7)
	if err != nil || !bytes.Equal(in.Value, records[7].Value) {
		t.Errorf("its record: %q, %v", in.Value, err)
	}
	if _, err := m.Record(w.context(), entry.Source{Topic: [16]byte{1}}, "news", 7); !errors.Is(err, topic.ErrOther) {
		t.Errorf("of a topic that is gone: %v", err)
	}
	if _, err := m.Record(w.context(), source, "gone", 7); !errors.Is(err, topic.ErrNoRecord) {
		t.Errorf("of no topic: %v", err)
	}
	if _, err := m.Record(w.context(), source, "news", 1<<20); !errors.Is(err, topic.ErrNoRecord) {
		t.Errorf("beyond the end: %v", err)
	}
	w.ended(m)
	w.audited()
}
