package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// How long the steps of an assignment bear what passes by itself: a replica behind, markers on their way, a leader that has
// just begun. What is not settled then needs a person.
const (
	behindPatience = 45 * time.Second
	backPatience   = 3 * time.Second
	beyondPatience = 10 * time.Second
)

// decide is rule 4 for one partition: it returns the assignment, or the journal offset of a reposition to wait for, or
// neither when the steps must be repeated.
func (s *session) decide(
	ctx context.Context, tp topicPartition, known map[entry.Source]index.Partition, c committed, x extent,
) (*assignment, int64, error) {
	p, isKnown := known[tp.source]
	switch {
	case c.offset < 0 && isKnown:
		s.warn(tp, p.Base, "no committed offset: going on from the last announced base, what was committed beyond it comes out again")
		return s.begin(ctx, tp, p.Base, p.Epoch+1)
	case c.offset < 0:
		return s.begin(ctx, tp, s.startOffset(tp, x), 1)
	case c.offset > x.end:
		return s.beyond(ctx, tp, c, x)
	case c.ours && c.epoch == p.Epoch+1:
		return s.reposition(ctx, tp, c.start, c.epoch)
	case c.ours && c.epoch > p.Epoch && !isKnown && s.sourceParams.AcceptJournalGap:
		s.warn(tp, c.offset, "the journal knows nothing of what was committed: going on there with an empty memory")
		return s.begin(ctx, tp, c.offset, 1)
	case c.ours && c.epoch > p.Epoch:
		return s.behind(ctx, tp, p, c)
	case s.takeMoved(tp.source) || !c.ours || c.epoch < p.Epoch || c.start != p.Start:
		s.warn(tp, c.offset, "the offset was set by someone else, or the document there is another one: a new epoch begins")
		return s.begin(ctx, tp, c.offset, p.Epoch+1)
	case c.offset < p.Base:
		return s.back(ctx, tp, p, c)
	}
	s.patience.forget(tp.source)
	if c.offset < x.start {
		s.deleted(tp, c.offset, x.start)
	}
	return &assignment{topicPartition: tp, epoch: p.Epoch, start: p.Start, base: c.offset, announced: p.Base}, -1, nil
}

func (s *session) warn(tp topicPartition, offset int64, message string) {
	s.logger.Warn().Str("topic", tp.topic).Int32("partition", tp.source.Partition).Int64("offset", offset).Msg(message)
}

// patience remembers since when a partition waits for something to pass.
type patience map[entry.Source]time.Time

// over says whether it has lasted so long, and begins to count when it is new.
func (p patience) over(source entry.Source, d time.Duration) bool {
	since, ok := p[source]
	if !ok {
		p[source] = time.Now()
		return false
	}
	return time.Since(since) >= d
}

func (p patience) forget(source entry.Source) { delete(p, source) }

// behind meets a committed epoch that the journal does not reach: the replica is behind, or this is another journal.
func (s *session) behind(ctx context.Context, tp topicPartition, p index.Partition, c committed) (*assignment, int64, error) {
	if !s.patience.over(tp.source, behindPatience) {
		return nil, -1, pause(ctx, 100*time.Millisecond)
	}
	return nil, -1, s.stopped(&StopError{
		What: fmt.Sprintf("the committed offset of %s/%d is of epoch %d, the journal %s ends in epoch %d",
			tp.topic, tp.source.Partition, c.epoch, s.journalTopic, p.Epoch),
		Remedy: "if the journal was lost, or a new one is meant, start once with source.accept_journal_gap: true: " +
			"committed offsets stay, what was remembered is lost; else name the group's own journal.topic",
	})
}

// back meets a committed offset below base. A transaction's answer comes before its markers are everywhere, so it is
// fetched again for a while; if it stays, the group's offsets were lost.
func (s *session) back(ctx context.Context, tp topicPartition, p index.Partition, c committed) (*assignment, int64, error) {
	if !s.patience.over(tp.source, backPatience) {
		return nil, -1, pause(ctx, 100*time.Millisecond)
	}
	if s.sourceParams.AcceptLostOffsets {
		return s.begin(ctx, tp, p.Base, p.Epoch+1)
	}
	return nil, -1, s.stopped(&StopError{
		What: fmt.Sprintf("the committed offset of %s/%d is %d, but all below %d was forwarded: the group's offsets were lost",
			tp.topic, tp.source.Partition, c.offset, p.Base),
		Remedy: fmt.Sprintf("start with source.accept_lost_offsets: true to go on from %d, or set the offset by hand to forward again", p.Base),
	})
}

// beyond meets a committed offset that the source does not reach: what was committed there is gone.
func (s *session) beyond(ctx context.Context, tp topicPartition, c committed, x extent) (*assignment, int64, error) {
	if !s.patience.over(tp.source, beyondPatience) {
		return nil, -1, pause(ctx, 100*time.Millisecond)
	}
	return nil, -1, s.stopped(&StopError{
		What: fmt.Sprintf("the committed offset of %s/%d is %d, but the topic ends at %d: the source lost documents, or the offset was set too far",
			tp.topic, tp.source.Partition, c.offset, x.end),
		Remedy: fmt.Sprintf("stop all members and set the offset: kafka-consumer-groups.sh --group %s --topic %s:%d --reset-offsets --to-offset %d --execute",
			s.params.Group, tp.topic, tp.source.Partition, x.end),
	})
}

// begin commits the beginning of an epoch and then appends it: the commit decides, the journal follows.
func (s *session) begin(ctx context.Context, tp topicPartition, offset int64, epoch uint32) (*assignment, int64, error) {
	s.patience.forget(tp.source)
	if err := s.commitEpoch(ctx, tp, offset, epoch); err != nil {
		return nil, -1, err
	}
	return s.reposition(ctx, tp, offset, epoch)
}

func (s *session) reposition(ctx context.Context, tp topicPartition, offset int64, epoch uint32) (*assignment, int64, error) {
	last, err := s.append(ctx, [][]byte{s.frame(&index.Reposition{
		Header: s.header(), Source: tp.source, Name: tp.topic, Partitions: tp.partitions, Offset: offset, Epoch: epoch,
	})})
	return nil, last, err
}

// extent is where a partition begins and ends.
type extent struct{ start, end int64 }

func (s *session) extents(ctx context.Context, of []topicPartition) (map[entry.Source]extent, error) {
	var topics []string
	for topic := range byTopic(of) {
		topics = append(topics, topic)
	}
	admin := kadm.NewClient(s.admin)
	starts, err := admin.ListStartOffsets(ctx, topics...)
	if err != nil {
		return nil, fmt.Errorf("list offsets of the source: %w", err)
	}
	ends, err := admin.ListEndOffsets(ctx, topics...)
	if err != nil {
		return nil, fmt.Errorf("list offsets of the source: %w", err)
	}
	got := map[entry.Source]extent{}
	for _, tp := range of {
		start, ok := starts.Lookup(tp.topic, tp.source.Partition)
		end, also := ends.Lookup(tp.topic, tp.source.Partition)
		if !ok || !also || start.Err != nil || end.Err != nil {
			return nil, fmt.Errorf("list offsets of %s/%d: %w", tp.topic, tp.source.Partition, errors.Join(start.Err, end.Err))
		}
		got[tp.source] = extent{start: start.Offset, end: end.Offset}
	}
	return got, nil
}

// startOffset is where an unknown partition begins: source.start for those the topic had when the journal first heard of it,
// the earliest offset for one that was added since.
func (s *session) startOffset(tp topicPartition, x extent) int64 {
	first := tp.partitions
	s.follower.look(func(r *index.Replica) {
		if n, known := r.TopicPartitions(tp.source.Topic); known {
			first = n
		}
	})
	if s.sourceParams.Start == "latest" && tp.source.Partition < first {
		return x.end
	}
	return x.start
}
