package consumer

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/protocol"
)

const culprit = "culprit"

// refuse has a topic refuse every batch that has a document with this word in it. The batches must not be compressed.
func (w *world) refuse(topic, word string) {
	w.t.Helper()
	id := w.cluster.TopicInfo(topic).TopicID
	w.cluster.ControlKey(kmsg.Produce.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		produce := req.(*kmsg.ProduceRequest)
		refused := false
		for _, t := range produce.Topics {
			for _, p := range t.Partitions {
				refused = refused || (t.Topic == topic || t.TopicID == id) && bytes.Contains(p.Records, []byte(word))
			}
		}
		if !refused {
			return nil, nil, false
		}
		resp := produce.ResponseKind().(*kmsg.ProduceResponse)
		for _, t := range produce.Topics {
			answer := kmsg.ProduceResponseTopic{Topic: t.Topic, TopicID: t.TopicID}
			for _, p := range t.Partitions {
				partition := kmsg.NewProduceResponseTopicPartition()
				partition.Partition, partition.ErrorCode = p.Partition, kerr.MessageTooLarge.Code
				answer.Partitions = append(answer.Partitions, partition)
			}
			resp.Topics = append(resp.Topics, answer)
		}
		return resp, nil, true
	})
}

// culprits sends n documents of the past, many of which are copies of a few that the output for unique ones will
// refuse. It returns how many these few are.
func (w *world) culprits(n int, partitions int32) (few int) {
	w.t.Helper()
	w.producer = w.client(kgo.DefaultProduceTopic("news"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	r, start := rand.New(rand.NewPCG(6, 6)), time.Now().Add(-90*24*time.Hour)
	var texts []string
	records := w.documents(n, 4)
	for i, rec := range records {
		rec.Partition, rec.Timestamp = r.Int32N(partitions), start.Add(time.Duration(i)*time.Second)
		if i%6 > 0 {
			continue
		}
		if i%120 == 0 {
			texts = append(texts, culprit+" "+words(r, 25))
		}
		text := texts[r.IntN(len(texts))]
		if i%120 == 0 {
			text = texts[len(texts)-1]
		}
		if rec.Value = []byte(text); i%120 > 0 && r.IntN(2) == 0 {
			rec.Value = fmt.Append(rec.Value, "edited", i)
		}
	}
	w.send(records...)
	return len(texts)
}

// What the output for unique documents refuses goes to rejected, and changes no verdict of others, whether the feeder
// is far ahead when that becomes known or not, and whoever forwards it: all copies of it are duplicates of it.
func TestBackfillOfRefusedDocuments(t *testing.T) {
	t.Parallel()
	const partitions, documents = 4, 1200
	w := newWorld(t, partitions)
	few := w.culprits(documents, partitions)
	plan := w.plan(protocol.ByPlace, partitions)
	for i := range plan.Ranges {
		plan.Ranges[i].From, plan.Ranges[i].To = 0, w.sent[int32(i)]
	}
	plain := func(s *Setup) { s.Sessions = append(s.Sessions, kgo.ProducerBatchCompression(kgo.NoCompression())) }
	for _, name := range []string{"ahead", "behind"} {
		for _, output := range []string{"unique", "duplicate", "rejected"} {
			w.create(name+"."+output, partitions, map[string]string{"retention.ms": "-1"})
		}
		w.refuse(name+".unique", culprit)
	}
	w.finished(w.launch(job("ahead", plan), plain), plan)
	want := w.jobOutputs("ahead", plan.Documents())
	// The feeder is hardly ahead of what is forwarded, and members are killed.
	slow := func(member string, rate int) func(*Setup) {
		return func(s *Setup) {
			s.Params.Member, s.Params.PollRecords, s.MaxRate, s.Params.DrainTimeout = member, 20, rate, 0
		}
	}
	for i := range 3 {
		m := w.launch(job("behind", plan), plain, slow("m", 800))
		w.becomes("some of it is forwarded", func() bool { return m.Backfill().Done >= plan.Documents()*int64(i+1)/8 })
		m.kill()
	}
	w.finished(w.launch(job("behind", plan), plain, named("m")), plan)
	got := w.jobOutputs("behind", plan.Documents())
	if !maps.Equal(got, want) {
		t.Error("what comes out depends on when a refusal is known")
	}
	rejected, copies := map[string]bool{}, 0
	for source, v := range want {
		if strings.HasPrefix(v, "rejected/") {
			rejected[source] = strings.Contains(v, `unecho-reason="output_refused"`)
		}
	}
	for _, v := range want {
		for source := range rejected {
			if strings.HasPrefix(v, "duplicate/") && strings.Contains(v, fmt.Sprintf("unecho-match=%q", source)) {
				copies++
			}
		}
	}
	if len(rejected) != few || copies != documents/6-few {
		t.Errorf("%d are rejected, want %d; %d are duplicates of them, want %d", len(rejected), few, copies, documents/6-few)
	}
	job("ahead", plan)(&w.setup)
	if report := w.audit(); !report.OK() || report.Rejected != few {
		t.Errorf("the audit finds %s", report.String())
	}
}
