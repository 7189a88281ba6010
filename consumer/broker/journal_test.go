package broker

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// What a created journal gets by its number of replicas is demanded of one that is there, whose number of replicas no
// setting decides.
func TestJournalInSync(t *testing.T) {
	ts, _, _ := topics(t, kfake.NumBrokers(3))
	for _, c := range []struct {
		name            string
		factor, brokers int
		insync          string
	}{{"by.default", -1, 3, "2"}, {"of.three", 3, 3, "2"}, {"of.two", 2, 2, "1"}, {"of.one", 1, 1, "1"}} {
		w := want
		w.ReplicationFactor = c.factor
		made, err := ts.VerifyJournal(deadline(t), c.name, w)
		if err != nil || made.Replicas != c.brokers {
			t.Fatalf("%s: got %+v, %v", c.name, made, err)
		}
		if configs, err := ts.Settings(deadline(t), c.name); err != nil || configs["min.insync.replicas"] != c.insync {
			t.Errorf("%s: min.insync.replicas is %s, %v; want %s", c.name, configs["min.insync.replicas"], err, c.insync)
		}
		for _, w.ReplicationFactor = range []int{-1, 1, 3} {
			if again, err := ts.VerifyJournal(deadline(t), c.name, w); err != nil || again != made {
				t.Errorf("%s, with replication_factor %d: %+v, %v", c.name, w.ReplicationFactor, again, err)
			}
		}
	}
	w := want
	w.Create, w.ReplicationFactor = false, -1
	if _, err := ts.VerifyJournal(deadline(t), "by.hand", w); err == nil || !strings.Contains(err.Error(), " --config min.insync.replicas=2 ") {
		t.Errorf("got %v; want the command with min.insync.replicas=2, as the broker makes three replicas", err)
	}
}

// A journal that may take no larger records can be used with smaller documents.
func TestJournalOfSmallRecords(t *testing.T) {
	ts, _, _ := topics(t)
	make1(t, ts, "small", 1, map[string]string{
		"retention.ms": "-1", "message.timestamp.type": "LogAppendTime", "max.message.bytes": "1000000",
	})
	if _, err := ts.VerifyJournal(deadline(t), "small", want); err == nil ||
		!strings.Contains(err.Error(), "or lower advanced.max_document_bytes, from which that follows") {
		t.Errorf("got %v", err)
	}
	smaller := want
	smaller.MaxMessageBytes = 975<<10 + 1<<10
	if _, err := ts.VerifyJournal(deadline(t), "small", smaller); err != nil {
		t.Error(err)
	}
}
