package consumer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(w *world)
		says []string
	}{
		{"other settings", func(w *world) {
			w.produce(10, 50)
			w.again()
			w.setup.Settings = []byte(`{"test":2}`)
		}, []string{"the settings differ", "test", "1", "2"}},
		{"a journal with retention", func(w *world) {
			w.create("unecho.journal", 1, map[string]string{
				"retention.ms":           "604800000",
				"message.timestamp.type": "LogAppendTime",
			})
		}, []string{"retention.ms is 604800000", "kafka-configs.sh"}},
		{"an unknown topic", func(w *world) { w.setup.Sources[0].Topics = []string{"nows"} }, []string{"nows", "kafka-topics.sh"}},
		{"an output too narrow", func(w *world) {
			w.setup.Sink.Create.Enabled = false
			w.write() // the journal
			w.create("news.unique", 1, nil)
		}, []string{"news.unique", "1 partitions"}},
		{"an output that takes less", func(w *world) {
			w.create("news.unique", 4, map[string]string{"max.message.bytes": "1000"})
		}, []string{"news.unique", "max.message.bytes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			c.do(w)
			w.refused(c.says...)
		})
	}
}

// The right to append is taken away. After a moment's patience a person is asked, also in the steps of an assignment.
func TestJournalForbidden(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"when a partition is assigned", "while it works"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			w := begun(t, 20)
			forbid := func() {
				w.cluster.Fault(kfake.Fault{
					Keys: []kmsg.Key{kmsg.Produce}, Topic: "unecho.journal", Err: kerr.TopicAuthorizationFailed, Count: 1 << 30,
				})
			}
			m := w.launch(named("m"), impatient)
			if when == "while it works" {
				w.joined(2)
				forbid()
				w.produce(20, 67)
			} else {
				w.ended(m)
				w.left()
				w.setOffsets(func(_ int32, at int64) int64 { return at })
				forbid()
				m = w.launch(named("m"), impatient)
			}
			w.refusedBy(m, "journal unecho.journal takes no appends", "TOPIC_AUTHORIZATION_FAILED", "Write")
		})
	}
}

func impatient(s *Setup) { s.forbidden = 100 * time.Millisecond }

func (w *world) create(topic string, partitions int32, configs map[string]string) {
	w.t.Helper()
	if err := w.cluster.CreateTopic(topic, partitions, configs); err != nil {
		w.t.Fatal(err)
	}
}

// Processes without a configured name take different names, each the lowest that is free.
func TestNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	first := w.start()
	w.joined(2)
	w.start()
	w.joined(4)
	if got := fmt.Sprint(w.instances()); got != "[unecho-0-s0 unecho-0-s1 unecho-1-s0 unecho-1-s1]" {
		t.Errorf("the group has the instances %s; want two sessions of unecho-0 and two of unecho-1", got)
	}
	w.ended(first)
	w.joined(2)
	w.start()
	w.joined(4)
	if got := fmt.Sprint(w.instances()); got != "[unecho-0-s0 unecho-0-s1 unecho-1-s0 unecho-1-s1]" {
		t.Errorf("the group has the instances %s when one has come again; want two sessions of unecho-0 and two of unecho-1", got)
	}
	w.produce(100, 62)
	w.settled()
	w.audited()
}

// refused starts a member and expects it to end by itself with an error that contains all of what.
func (w *world) refused(what ...string) {
	w.t.Helper()
	w.refusedBy(w.launch(named("m")), what...)
}

func (w *world) refusedBy(m *running, what ...string) {
	w.t.Helper()
	w.await("it does not end", m.ended)
	for _, s := range what {
		if m.err == nil || !strings.Contains(m.err.Error(), s) {
			w.t.Errorf("it ended with %v, which does not say %q", m.err, s)
		}
	}
}
