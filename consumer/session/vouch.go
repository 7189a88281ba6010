package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/pipeline"
	"github.com/unecho/unecho/consumer/preview"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/sink"
)

// firstDocuments of a source tell whether it is read as it is meant to be.
const firstDocuments = preview.First

// firstPatience is how long the next of them may take to come. What is compacted away never does.
const firstPatience = 5 * time.Second

// firstBytes is how much is asked for at a time. What the session holds stays in memory beside it.
const firstBytes = 1 << 20

// vouch looks at documents of assignments of which nothing was ever committed. Where of all that a source begins with the
// same becomes that is seldom meant, the configuration does not fit: the process ends before it commits any of it (decision 83).
func (l *loop) vouch(ctx context.Context, of []*assignment) error {
	for _, a := range of {
		if !a.New {
			continue // as another partition of its topic told
		}
		if all, are := l.batch.Alike(a.Topic); are && !l.accepts(a.Topic, all.Slip) {
			if err := l.vouchFor(ctx, a, &all); err != nil {
				return err
			}
		}
		for _, other := range l.member.Assigned() {
			other.New = other.New && other.Topic != a.Topic
		}
	}
	return nil
}

// accepts says that a person permits what becomes of a source's first documents.
func (l *loop) accepts(topic string, slip pipeline.Slip) bool {
	return slip.Rejected != "" && slices.Contains(l.Accepted.Rejected, topic) || slip.Unchecked != "" && slices.Contains(l.Accepted.Unchecked, topic)
}

// vouchFor reads on in a source of which the batch has nothing but documents of which the same becomes. Fewer
// than a thousand tell only of what was there when the session took the partition over: a source that has just begun
// does not wait for more. They tell nothing of a topic that came while the process works, so that its first bad document
// does not stop the others. Fewer than EnoughUnmet tell nothing of conditions, which may be meant for a few documents of many.
func (l *loop) vouchFor(ctx context.Context, a *assignment, all *pipeline.Alike) error {
	f, err := newFirsts(ctx, l.Setup, a, all.Slip)
	if err != nil || f == nil {
		return err
	}
	defer f.client.Close()
	only, err := f.read(ctx)
	if err != nil || !only {
		return err
	}
	begins := f.documents < firstDocuments && (!all.WereThere || l.Topics.CameLater(a.Topic))
	switch {
	case !begins && f.leaderless != nil:
		return f.leaderless
	case all.Unchecked != "" && (begins || f.documents < preview.EnoughUnmet):
		return l.warnUnmet(ctx, all.First, f.documents)
	case begins:
		return nil
	}
	what, remedy, allow, err := l.slipped(ctx, all)
	if err != nil {
		return err
	}
	return &stop.Error{
		What: fmt.Sprintf("%s: %d were read, such as %s/%d/%d, and none is committed", what, f.documents, a.Topic,
			all.First.Partition, all.First.Offset),
		Remedy: remedy + "; where you correct a setting that decides, " + anew(a.Mode) + ", because the present journal " +
			"was begun with it; where these documents are to be " + allow +
			"; where they are to be read by nobody, leave the topic out of sources",
		Config: true,
	}
}

// warnUnmet logs that none of a source's documents meets the conditions so far. They are forwarded.
func (l *loop) warnUnmet(ctx context.Context, r *kgo.Record, documents int) error {
	t, err := l.trouble(ctx, r)
	if err == nil && t != nil {
		l.Logger.Warn().Str("topic", r.Topic).Int("documents", documents).
			Str("example", fmt.Sprintf("%s/%d/%d", r.Topic, r.Partition, r.Offset)).Str("why", t.Why).Str("remedy", t.Remedy).
			Msg("the first documents of a source are all unchecked, and are forwarded")
	}
	return err
}

// remedy names the fields that a document has, where one is missing.
func (l *loop) remedy(ctx context.Context, r *kgo.Record, reason sink.Reason) string {
	if reason == sink.MissingField {
		if t, err := l.trouble(ctx, r); err == nil && t != nil && t.Grave {
			return t.Remedy
		}
	}
	return reason.Remedy()
}

// trouble is what unecho doctor would say of one document; nil: nothing.
func (l *loop) trouble(ctx context.Context, r *kgo.Record) (*preview.Trouble, error) {
	setup := &preview.Setup{
		Reader: l.Reader, Index: l.Replica.Params(), Encoder: l.Encoder, MaxEntryBytes: l.MaxEntryBytes, MaxBatchBytes: int(l.Params.MaxBatchBytes),
	}
	p, err := setup.OfRecord(ctx, r)
	if err != nil {
		return nil, err
	}
	return p.Trouble(), nil
}

// slipped says what became of the first documents, what to do about it, and how to allow it.
func (l *loop) slipped(ctx context.Context, all *pipeline.Alike) (what, remedy, allow string, err error) {
	r := all.First
	key := l.Reader.Key(r.Topic)
	switch {
	case all.Rejected != "":
		return fmt.Sprintf("the first documents of %s are all rejected, for %s", r.Topic, all.Rejected), l.remedy(ctx, r, all.Rejected),
			"rejected, start once with --accept-rejected " + r.Topic, nil
	case all.Object:
		return fmt.Sprintf("the first documents of %s are all JSON objects, and no %s.format says so", r.Topic, key),
			"set " + key + ".format: json, and " + key + ".text to the fields with the text",
			"compared with their braces, names, ids and times, write " + key + ".format: raw", nil
	}
	var unmet string
	_, _, err = l.Reader.Read(ctx, document.Input{
		Key: r.Key, Value: r.Value, Headers: r.Headers, Topic: r.Topic, Partition: r.Partition, Unmet: &unmet,
	}, nil)
	return fmt.Sprintf("the first documents of %s are all unchecked, as none meets %s.when (of the example %s)", r.Topic, key, unmet),
		"correct " + key + ".when: names and values must be those of a document, letter for letter",
		preview.Unchecked(r.Topic), err
}

func anew(mode protocol.Mode) string {
	if mode.Finite() {
		return "remove the backfill and begin it again (unecho backfill remove)"
	}
	return "name another group, and other outputs unless nothing was forwarded yet; or delete the journal's topic while no member runs"
}

// firsts are the first documents of a source, in all its partitions.
type firsts struct {
	topic     string
	slip      pipeline.Slip // what becomes of those so far
	documents int           // that were read
	of        map[protocol.PartitionName]*first
	client    *kgo.Client
	topics    *broker.Topics
	pipeline  *pipeline.Pipeline

	leaderless error // why a partition could not be read: documents in it may be others
}

// first is a partition that is read. The base of its assignment is as far as it was.
type first struct {
	assignment
	begin, end int64
}

// newFirsts is nil if the group has committed documents of the source.
func newFirsts(ctx context.Context, s *Setup, a *assignment, slip pipeline.Slip) (*firsts, error) {
	f := &firsts{topic: a.Topic, slip: slip, of: map[protocol.PartitionName]*first{}, topics: broker.NewTopics(s.Cluster.Client, s.Logger)}
	all := make([]protocol.TopicPartition, a.Partitions)
	for p := range all {
		all[p] = a.TopicPartition
		all[p].Source.Partition = int32(p)
	}
	committed, err := s.Cluster.StableOffsets(ctx, all, s.Ahead)
	if err != nil {
		return nil, err
	}
	begins, err := broker.Offsets(ctx, s.Cluster.Admin().ListStartOffsets, a.Topic)
	if err != nil {
		return nil, fmt.Errorf("list offsets of the source: %w", err)
	}
	ends, err := broker.Offsets(ctx, s.Cluster.Admin().ListCommittedOffsets, a.Topic)
	if err != nil {
		return nil, fmt.Errorf("list offsets of the source: %w", err)
	}
	for i := range all {
		c, tp := committed[all[i].Source], all[i]
		if c.Offset >= 0 && !c.New {
			return nil, nil
		}
		begin, led := begins.Lookup(a.Topic, int32(i))
		end, _ := ends.Lookup(a.Topic, int32(i))
		if c.Offset < 0 && (a.Mode.Finite() || s.Topics.Choice.Latest(a.Topic)) {
			continue // it begins where its owner will say
		}
		if !led || begin.Err != nil || end.Err != nil {
			f.leaderless = fmt.Errorf("read the first documents of %s: %w", tp.Name(), cmp.Or(begin.Err, end.Err, error(kerr.LeaderNotAvailable)))
			continue
		}
		from := max(c.Offset, begin.Offset)
		f.of[tp.Name()] = &first{assignment{TopicPartition: tp, Mode: a.Mode, Base: from}, from, end.Offset}
	}
	if own := f.of[a.Name()]; own != nil && a.Mode.Finite() {
		own.end = min(own.end, a.Range.To)
	}
	return f, f.open(s)
}

func (f *firsts) open(s *Setup) (err error) {
	at := map[int32]kgo.Offset{}
	for name, of := range f.of {
		at[name.Partition] = kgo.NewOffset().At(of.begin)
	}
	if f.pipeline, err = s.pipeline(); err != nil {
		return err
	}
	f.client, err = kgo.NewClient(slices.Concat(s.Cluster.Options, s.Options, f.pipeline.Unpacker.Options(s.Cluster.Client),
		s.readOptions(), []kgo.Opt{
			kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{f.topic: at}), kgo.ConsumeResetOffset(kgo.NoResetOffset()),
			kgo.FetchMaxBytes(firstBytes), kgo.FetchMaxPartitionBytes(firstBytes),
		})...)
	if err != nil {
		return fmt.Errorf("open the client that reads first documents: %w", err)
	}
	return nil
}

// read reads until something else becomes of a document, or enough is read. Only says that the same becomes of all.
func (f *firsts) read(ctx context.Context) (only bool, err error) {
	for !f.enough() {
		wait, cancel := context.WithTimeout(ctx, firstPatience)
		fetches := f.client.PollRecords(wait, f.most())
		cancel()
		f.pipeline.Unpacker.Polled(fetches)
		if err := ctx.Err(); err != nil {
			return false, err
		}
		for _, e := range fetches.Errors() {
			if !errors.Is(e.Err, context.DeadlineExceeded) && !errors.Is(e.Err, unpack.ErrLater) {
				return false, fmt.Errorf("read the first documents of %s/%d: %w", e.Topic, e.Partition, e.Err)
			}
		}
		if fetches.NumRecords() == 0 {
			return f.nothingLeft(ctx)
		}
		if only, err := f.take(ctx, fetches); err != nil || !only {
			return false, err
		}
	}
	return true, nil
}

// nothingLeft says that what did not come was compacted away. Where a broker is slow, nobody knows what the documents are.
func (f *firsts) nothingLeft(ctx context.Context) (bool, error) {
	for name, at := range f.of {
		if at.Base < at.end && !f.topics.Empty(ctx, f.pipeline.Unpacker.Renew(), name.Topic, name.Partition, at.Base, at.end) {
			return false, fmt.Errorf("read the first documents of %s: nothing comes from offset %d on", name, at.Base)
		}
	}
	return true, nil
}

// most is how many documents the next poll may bring.
func (f *firsts) most() int {
	if left := firstDocuments - f.documents; left > 0 {
		return left
	}
	return firstDocuments // some of another partition are to be among them
}

// take looks at what a poll brought.
func (f *firsts) take(ctx context.Context, fetches kgo.Fetches) (only bool, err error) {
	b, fetch := f.pipeline.Sort(fetches, func(name protocol.PartitionName) (*assignment, int64) {
		if at := f.of[name]; at != nil {
			return &at.assignment, at.Base
		}
		return nil, 0
	}, func(a *assignment) int64 { return f.of[a.Name()].end })
	defer b.Rest()
	if err := b.Sign(ctx); err != nil {
		return false, err
	}
	for i := range fetch.Groups {
		fetch.Groups[i].Base = fetch.Groups[i].End
	}
	all, are := b.Alike(f.topic)
	f.documents += all.Documents
	return fetch.Size == 0 || are && all.Slip == f.slip, nil
}

// enough says that all that is there was read, or enough documents and some of each partition.
func (f *firsts) enough() bool {
	for _, at := range f.of {
		if at.Base < at.end && (f.documents < firstDocuments || at.Base == at.begin) {
			return false
		}
	}
	return true
}
