package comparison

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/replay"
	"github.com/unecho/unecho/consumer/succession"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
)

// Inputs say what is compared.
type Inputs struct {
	Kafka        topic.Options
	Old, New     succession.Group // New follows Old, or took over from it
	Params       index.Params     // of New, and so are the settings
	Settings     []byte           // canonical text of all settings that decide verdicts
	Journal      journal.Params   // how large batches of New's journal may be
	ProducerTime bool             // New's journal carries the appender's time, as that of an embedded broker does
	// Snapshots opens New's store, whose snapshot begins the replay if the journal's head is trimmed. Run closes it.
	Snapshots func(context.Context) (snapshot.Store, error)
	Documents int64 // how many documents are compared at most
	Examples  int   // how many documents that differ are spelled out at most
	// Progress is called from the goroutine that called Run, with how far a stage is. Total 0: unknown.
	Progress func(stage string, done, total int64)
}

// Stages of a comparison, in their order.
const (
	stageSnapshot = "restoring the snapshot"
	stageJournal  = "replaying the journal"
	stageWait     = "waiting for open transactions"
	stageOutputs  = "reading the outputs"
)

// comparison is one under way.
type comparison struct {
	Inputs
	client   *kgo.Client
	standing succession.Standing
	parts    []*part
	bySource map[entry.Source]*part
	byPlace  map[place]*part
	matches  names // topics of matches
	report   Report
}

type place struct {
	topic     string
	partition int32
}

// Run compares what both groups have committed when it is called. An error says that the comparison could not be done;
// it never says what was found.
func Run(ctx context.Context, in Inputs) (Report, error) {
	look := succession.Takeover{Kafka: in.Kafka, OldGroup: in.Old, NewGroup: in.New}
	standing, err := look.Look(ctx)
	if err != nil {
		return Report{}, err
	}
	if err := in.refusal(&standing); err != nil {
		return Report{}, err
	}
	c := comparison{
		Inputs: in, standing: standing, parts: parts(&standing, in.Documents),
		bySource: map[entry.Source]*part{}, byPlace: map[place]*part{},
	}
	if len(c.parts) == 0 {
		return Report{}, in.nothing()
	}
	for _, p := range c.parts {
		c.bySource[p.source], c.byPlace[place{p.Topic, p.Partition}] = p, p
		p.number = c.matches.number(p.Topic)
	}
	if c.client, err = kgo.NewClient(in.Kafka...); err != nil {
		return Report{}, fmt.Errorf("open client: %w", err)
	}
	defer c.client.Close()
	if err := c.judge(ctx); err != nil {
		return Report{}, err
	}
	if err := c.read(ctx); err != nil {
		return Report{}, err
	}
	c.join()
	return c.report, nil
}

// judge replays the new group's journal, and keeps its verdicts.
func (c *comparison) judge(ctx context.Context) error {
	from, to, err := topic.Extent(ctx, c.Kafka, c.New.Journal, 0)
	if err != nil {
		return err
	}
	replica, err := c.begin(ctx, from, to)
	if err != nil {
		return fmt.Errorf("replay journal %s, which begins at offset %d: %w", c.New.Journal, from, err)
	}
	c.report.JournalFrom, c.report.JournalTo = replica.Next(), to
	j := replay.Journal{
		Options: c.Kafka, Topic: c.New.Journal, Params: c.Journal, Owner: c.New.Name, ProducerTime: c.ProducerTime,
	}
	err = j.Apply(ctx, replica, to, func(rec index.Record, did *index.Effect) error {
		c.applied(rec, did)
		c.Progress(stageJournal, replica.Next()-c.report.JournalFrom, to-c.report.JournalFrom)
		return nil
	})
	if errors.Is(err, journal.ErrLost) {
		return c.overtaken()
	}
	if err != nil {
		return fmt.Errorf("replay journal %s: %w", c.New.Journal, err)
	}
	return nil
}

// begin returns the replica with which the replay begins. Of a snapshot's verdicts only those are known that it holds:
// those that it did not know to be committed.
func (c *comparison) begin(ctx context.Context, from, to int64) (*index.Replica, error) {
	if from == 0 {
		return index.NewReplica(c.Params, index.Fingerprint(c.Settings))
	}
	topics, err := kadm.NewClient(c.client).ListTopics(ctx, c.New.Journal)
	if err != nil {
		return nil, err
	}
	start := replay.Start{
		Params: c.Params, Settings: c.Settings, Snapshots: c.Snapshots,
		Restoring: func(documents int64) error {
			c.Progress(stageSnapshot, 0, documents)
			return ctx.Err()
		},
	}
	replica, err := start.Restore(ctx, topics[c.New.Journal].ID, from, to)
	if err != nil {
		return nil, err
	}
	held := replica.Contents()
	for i := range held.Partitions {
		if p := c.bySource[held.Partitions[i].Source]; p != nil {
			p.known = held.Partitions[i].Base
			c.keep(p, held.Held[i])
		}
	}
	return replica, nil
}

// applied keeps what a record of the journal decided. Of several verdicts about one document the last holds.
func (c *comparison) applied(rec index.Record, did *index.Effect) {
	if began, ok := rec.(*index.Reposition); ok && did.Applied {
		if p := c.bySource[began.Source]; p != nil {
			p.known = min(p.known, began.Offset)
		}
	}
	for i := range did.Judged {
		if p := c.bySource[index.SourceOf(rec, &did.Judged[i])]; p != nil {
			c.keep(p, did.Judged[i:i+1])
		}
	}
}

func (c *comparison) keep(p *part, verdicts []index.Verdict) {
	for i := range verdicts {
		if to := p.newer.at(verdicts[i].Offset); to != nil {
			*to = c.matches.judged(&verdicts[i])
		}
	}
}
