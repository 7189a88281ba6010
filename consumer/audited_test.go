package consumer

import (
	"bytes"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/audit"
)

// audited compares source, journal and outputs with the twin, and demands each document once.
func (w *world) audited() audit.Report {
	w.t.Helper()
	report := w.audit()
	if !report.OK() || report.Records != w.total {
		w.t.Fatalf("%d documents sent, %s", w.total, report.String())
	}
	return report
}

func (w *world) audit() audit.Report {
	w.t.Helper()
	group := "" // all that was sent is to be forwarded
	if w.setup.Plan != nil {
		group = w.setup.Params.Group
	}
	report, err := audit.Run(w.context(), w.audits(group))
	if err != nil {
		w.t.Fatal(err)
	}
	return report
}

// audits are the inputs of an audit. Group is the one whose committed offsets say what is owed; empty: all is.
func (w *world) audits(group string) audit.Inputs {
	return audit.Inputs{
		Group:   group,
		Options: w.setup.Kafka, Sources: []string{"news"}, Journal: w.setup.Params.Group + ".journal",
		Owner: w.setup.Params.Group, ProducerTime: w.setup.ProducerTime,
		Outputs: w.setup.Sink.Topics, Verdicts: w.setup.Sink.VerdictsTopic, Clusters: w.setup.Sink.ClustersTopic,
		Params: w.setup.Index, MaxBatchBytes: int(w.setup.Params.MaxBatchBytes),
		JournalParams: w.setup.Journal, Settings: w.setup.Settings, Index: w.setup.Params.Group,
	}
}

// outputs reads all records of a topic, read committed, up to its present end.
func (w *world) outputs(topic string, n int) []*kgo.Record {
	w.t.Helper()
	cl := w.client(kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	var all []*kgo.Record
	for len(all) < n {
		fetches := cl.PollFetches(w.context())
		if err := fetches.Err(); err != nil {
			w.t.Fatalf("%d of %d records of %s: %v", len(all), n, topic, err)
		}
		all = append(all, fetches.Records()...)
	}
	return all
}

func headerOf(r *kgo.Record, key string) string {
	for _, h := range r.Headers {
		if h.Key == key {
			return string(bytes.Clone(h.Value))
		}
	}
	return ""
}
