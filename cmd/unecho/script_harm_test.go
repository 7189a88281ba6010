package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// What an audit finds has to be planted: outputs are copied to other topics, one of their records harmed.

func scriptClient(ts *testscript.TestScript, opts ...kgo.Opt) *kgo.Client {
	client, err := kgo.NewClient(append(opts, kgo.SeedBrokers(ts.Getenv("KAFKA")),
		kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	ts.Check(err)
	return client
}

// harm is `harm NAME KIND`: the outputs of documents, copied to NAME.unique, NAME.duplicate and NAME.rejected, and
// harmed.
func harm(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: harm NAME KIND")
	}
	records := harmed(args[1], outputsOf(ts))
	client := scriptClient(ts)
	defer client.Close()
	_, err := kadm.NewClient(client).CreateTopics(context.Background(), 4, 1, nil, args[0]+".unique", args[0]+".duplicate",
		args[0]+".rejected")
	ts.Check(err)
	for _, r := range records {
		r.Topic = args[0] + "." + strings.TrimPrefix(r.Topic, "documents.")
	}
	ts.Check(client.ProduceSync(context.Background(), records...).FirstErr())
}

// outputsOf reads what is there.
func outputsOf(ts *testscript.TestScript) (records []*kgo.Record) {
	topics := []string{"documents.unique", "documents.duplicate", "documents.rejected"}
	client := scriptClient(ts, kgo.ConsumeTopics(topics...), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords())
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, topics...)
	ts.Check(err)
	left := map[string]int64{}
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[o.Topic+"/"+strconv.Itoa(int(o.Partition))] = o.Offset
		}
	})
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		ts.Check(fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			if p := r.Topic + "/" + strconv.Itoa(int(r.Partition)); r.Offset+1 >= left[p] {
				delete(left, p)
			}
			if !r.Attrs.IsControl() {
				records = append(records, r)
			}
		})
	}
	return records
}

// harmed does one thing to the first duplicate, or to the order of unique documents.
func harmed(kind string, records []*kgo.Record) []*kgo.Record {
	first := slices.IndexFunc(records, func(r *kgo.Record) bool { return r.Topic == "documents.duplicate" })
	victim := *records[first]
	victim.Headers, victim.Value = slices.Clone(victim.Headers), bytes.Clone(victim.Value)
	replaced := slices.Clone(records)
	replaced[first] = &victim
	switch kind {
	case "none":
	case "lost":
		return slices.Delete(replaced, first, first+1)
	case "doubled":
		again := victim
		return append(replaced, &again)
	case "altered":
		victim.Value[0] ^= 1
	case "header":
		victim.Headers = append(victim.Headers, kgo.RecordHeader{Key: "x", Value: []byte("y")})
	case "topic":
		victim.Topic = "documents.unique"
	case "verdict":
		setHeader(&victim, "unecho-copy", "77")
	case "invented":
		again := victim
		again.Headers = slices.Clone(victim.Headers)
		setHeader(&again, "unecho-source", "documents/0/99999")
		return append(replaced, &again)
	case "order":
		earlier := slices.IndexFunc(records, func(r *kgo.Record) bool { return r.Topic == "documents.unique" })
		later := earlier + 1 + slices.IndexFunc(records[earlier+1:], func(r *kgo.Record) bool {
			return r.Topic == "documents.unique" && r.Partition == records[earlier].Partition
		})
		replaced[earlier], replaced[later] = replaced[later], replaced[earlier]
	}
	return replaced
}

func setHeader(r *kgo.Record, key, value string) {
	for i := range r.Headers {
		if r.Headers[i].Key == key {
			r.Headers[i].Value = []byte(value)
		}
	}
}

// trim is `trim TOPIC FILE`: what lies below the offset in FILE is deleted from partition 0.
func trim(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: trim TOPIC FILE")
	}
	offset, err := strconv.ParseInt(strings.TrimSpace(ts.ReadFile(args[1])), 10, 64)
	ts.Check(err)
	client := scriptClient(ts)
	defer client.Close()
	below := kadm.Offsets{}
	below.Add(kadm.Offset{Topic: args[0], At: offset, LeaderEpoch: -1})
	deleted, err := kadm.NewClient(client).DeleteRecords(context.Background(), below)
	ts.Check(errors.Join(err, deleted.Error()))
}

// hang is `hang TOPIC`: a transaction on partition 0 stays open until the script ends.
func hang(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hang TOPIC")
	}
	client := scriptClient(ts, kgo.TransactionalID("hanging"))
	ts.Defer(client.Close)
	ts.Check(client.BeginTransaction())
	ts.Check(client.ProduceSync(context.Background(), &kgo.Record{Topic: args[0], Value: []byte("open")}).FirstErr())
}
