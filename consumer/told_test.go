package consumer

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/setting"
)

func telling(s *Setup) { s.Sink.Verdicts.Topic = "{source}.verdicts" }

// toldWorld has a topic of verdicts.
func toldWorld(t *testing.T, partitions int32) *world {
	t.Helper()
	w := newWorld(t, partitions)
	telling(&w.setup)
	w.setup.Sources[0].Reading.Reject = []string{"empty", "missing_field"}
	return w
}

// Each document has one record in the topic of verdicts, of the same transaction as its output, though members are
// killed.
func TestVerdictsAreTold(t *testing.T) {
	t.Parallel()
	w := toldWorld(t, 4)
	w.setup.Params.PollRecords = 100
	const total = 4000
	records := w.documents(total, 1)
	for i := 0; i < total; i += 50 {
		records[i].Value = nil
	}
	w.send(records...)
	w.start(named("m0"), sessions(2))
	for range 2 {
		m := w.start(named("m1"))
		w.committed(total / 4)
		m.kill()
	}
	w.settled()
	if report := w.audited(); report.Verdicts != total || report.Rejected != total/50 || report.Duplicate == 0 {
		t.Errorf("got %s", report.String())
	}
}

// What is told of a document that an output refused is what became of it.
func TestVerdictsOfRefusedDocuments(t *testing.T) {
	t.Parallel()
	w := toldWorld(t, 2)
	w.start(sessions(1))
	w.produce(20, 72)
	w.settled()
	w.limit("news.unique", 4000)
	w.limit("news.rejected", 4000)
	records := w.documents(40, 73)
	records[25].Value = []byte(words(rand.New(rand.NewPCG(1, 2)), 2000))
	w.send(records...)
	w.settled()
	if report := w.audited(); report.Verdicts != 60 || report.Rejected != 1 {
		t.Fatalf("got %s", report.String())
	}
	refused := 0
	w.read("news.verdicts", func(r *topic.Record) {
		if strings.Contains(string(r.Value), `"verdict":"rejected"`) {
			refused++
			if !strings.Contains(string(r.Value), `"reason":"output_refused"`) ||
				!strings.Contains(string(r.Value), `"value_bytes":`) {
				t.Errorf("told is %s", r.Value)
			}
		}
	})
	if refused != 1 {
		t.Errorf("%d rejected ones are told, want 1", refused)
	}
}

// A topic of verdicts that refuses its records ends the process, and nothing is rejected because of it.
func TestVerdictsAreRefused(t *testing.T) {
	t.Parallel()
	w := toldWorld(t, 1)
	m := w.launch(named("m"), sessions(1))
	w.produce(20, 74)
	w.settled()
	w.limit("news.verdicts", 100)
	w.produce(20, 75)
	w.refusedBy(m, "outputs.verdicts", "raise max.message.bytes of that topic to 8192")
	w.limit("news.verdicts", int(setting.MiB))
	w.start(named("m"))
	w.settled()
	if report := w.audited(); report.Rejected != 0 || report.Verdicts != 40 {
		t.Errorf("got %s", report.String())
	}
}

// A topic of verdicts that refuses the present time, because a clock is off, gets its records without a time. No process
// ends by that.
func TestVerdictsRefuseThePresent(t *testing.T) {
	t.Parallel()
	w := toldWorld(t, 1)
	w.start(named("m"), sessions(1))
	w.produce(20, 76)
	w.settled()
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "news.verdicts", Err: kerr.InvalidTimestamp, Count: 1})
	w.produce(20, 77)
	w.settled()
	if report := w.audited(); report.Rejected != 0 || report.Verdicts != 40 {
		t.Errorf("got %s", report.String())
	}
	untimed := 0
	w.read("news.verdicts", func(r *topic.Record) {
		if r.Time.UnixMilli() == broker.Untimed {
			untimed++
		}
	})
	if untimed != 20 {
		t.Errorf("%d verdicts have no time, want the 20 after the refusal", untimed)
	}
}
