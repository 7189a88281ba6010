package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
)

// filter is unecho as the program runs it: the service with its defaults, and snapshots in a temporary directory.
type filter struct {
	verify   string
	shingle  string // empty: its default
	evidence string // empty: its default
	backfill string // an order; empty: a live group
	old      string // where old documents lie, of which all are remembered then: memory or files; empty: as by default
	logger   zerolog.Logger
}

func (f filter) run(ctx context.Context, j job, group string) (result, error) {
	dir, err := os.MkdirTemp("", "unecho-bench-")
	if err != nil {
		return result{}, fmt.Errorf("make a directory for snapshots: %w", err)
	}
	defer os.RemoveAll(dir) // a leftover in the temporary directory harms nobody
	c := f.config(j, group, dir)
	r, err := f.measure(ctx, j, c)
	return r, errors.Join(err, j.cluster.remove(ctx, group, append(c.Sink.All(j.source), group+".journal")...))
}

func (f filter) config(j job, group, dir string) config.Config {
	c := config.Default()
	c.Sources = []document.Source{document.DefaultSource()}
	c.Sources[0].Topics = []string{j.source}
	c.Consumer.Group, c.Consumer.Sessions = group, j.sessions
	c.Judge.Duplicates.Verify = f.verify
	if f.shingle != "" {
		c.Judge.Duplicates.Shingle = f.shingle
	}
	if f.evidence != "" && f.verify == "jaccard" {
		c.Judge.Duplicates.Evidence = f.evidence
	}
	if f.backfill != "" {
		c.Judge.Duplicates.Remember.Clock = "event"
	}
	c.Sink.Unique.Topic, c.Sink.Duplicate.Topic, c.Sink.Rejected.Topic = group+".unique", group+".duplicate", group+".rejected"
	c.Snapshot.Directory.Path = filepath.Join(dir, "snapshots")
	if f.old != "" { // so many segments that there are blocks
		c.Judge.Duplicates.Remember.Memory, c.Judge.Duplicates.Remember.Documents = 0, j.documents
	}
	if f.old == "files" {
		c.Judge.Duplicates.Remember.Directory = filepath.Join(dir, "files")
	}
	return c
}

func (f filter) measure(ctx context.Context, j job, c config.Config) (result, error) {
	store, err := c.Snapshot.Opener().Open(ctx, c.Consumer.Group)
	if err != nil {
		return result{}, err
	}
	defer store.Close() // the store is deleted with its directory
	plan, err := f.plan(ctx, j)
	if err != nil {
		return result{}, err
	}
	watch := newStopwatch(j)
	service, err := consumer.New(consumer.Setup{
		Kafka:  append(append([]kgo.Opt{}, j.cluster.options...), kgo.WithHooks(watch)),
		Params: c.Consumer, Sources: c.Readings(), Index: c.Judge, Journal: c.Journal,
		Sink: c.Sink, Snapshot: c.Snapshot.Params(), Store: store, Leases: store.(snapshot.Leaser), Settings: c.Settings(), Logger: f.logger,
		ProducerTime: j.cluster.producerTime, Plan: plan,
	})
	if err != nil {
		return result{}, err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan struct{})
	var ending error
	go func() {
		defer close(ended)
		ending = service.Run(serving)
	}()
	r := result{documents: j.documents}
	unique, duplicate, _ := c.Sink.Topics(j.source)
	err = j.stream.sendAll(ctx, j, c.Consumer.Group, []string{unique, duplicate}, ended)
	if err == nil {
		r.took, r.cpu, err = watch.wait(ctx, func() int { return forwarded(service.Stats()) }, j.documents, ended)
	}
	r.add(service.Stats())
	stop()
	<-ended
	if err == nil {
		err = j.checkCommitted(ctx, c.Consumer.Group)
	}
	return r, errors.Join(err, ending)
}

// plan is a backfill of the whole source, or nil.
func (f filter) plan(ctx context.Context, j job) (*protocol.Plan, error) {
	if f.backfill == "" {
		return nil, nil // a live group has none
	}
	plan := &protocol.Plan{Order: protocol.ByPlace, Fixed: time.Now().UnixMilli()}
	if f.backfill == "arrival" {
		plan.Order = protocol.ByArrival
	}
	topics, err := j.cluster.admin.ListTopics(ctx, j.source)
	if err != nil {
		return nil, fmt.Errorf("describe the source: %w", err)
	}
	ends, err := broker.Offsets(ctx, j.cluster.admin.ListCommittedOffsets, j.source)
	if err != nil {
		return nil, fmt.Errorf("list the ends of the source: %w", err)
	}
	for p := range int32(j.partitions) {
		end, _ := ends.Lookup(j.source, p)
		plan.Ranges = append(plan.Ranges, protocol.Range{
			Topic: j.source, Source: entry.Source{Topic: topics[j.source].ID, Partition: p}, To: end.Offset,
		})
	}
	return plan, nil
}

func forwarded(s consumer.Stats) int {
	n := s.Unique + s.Duplicate
	for _, rejected := range s.Rejected {
		n += rejected
	}
	return int(n)
}

func (r *result) add(s consumer.Stats) {
	r.commits, r.duplicates, r.rebuilds = s.Commits, s.Duplicate, s.Rebuilds
	r.journalBytes = s.Journal.Bytes
	r.sign, r.judge, r.forward = s.Latency.Sign.Sum, s.Latency.Judge.Sum, s.Latency.Forward.Sum
	r.candidates = s.Index.Candidates
	for _, n := range s.Rejected {
		r.rejected += int64(n)
	}
}

// logger shows the service's log if the variable asks for it.
func logger() zerolog.Logger {
	if os.Getenv("UNECHO_BENCH_LOG") == "" {
		return zerolog.Nop()
	}
	return zerolog.New(zerolog.ConsoleWriter{Out: os.Stderr, TimeFormat: time.StampMilli}).With().Timestamp().Logger()
}
