package session

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// This file is what a session does otherwise in a backfill (decision 45), some of it in a shadow as well. It polls
// only what was fed, cuts batches where the fed part or the range ends, commits counts with the offsets, and
// announces its bases early.

// MostHeld is how many verdicts the replica of a backfill holds at most, as far as the feeder decides it.
const MostHeld = 100_000

// fedPause is how long a poll lasts while a partition waits to be fed further.
const fedPause = 20 * time.Millisecond

// Has says whether the group gave the session a partition, whether or not it has a leader.
func (s *Session) Has(of protocol.Range) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := key{of.Topic, of.Source.Partition}
	return s.assigned[at] != nil || s.unled[at]
}

// lead is how many offsets a partition must be fed ahead, so that a poll of it is worth its cost.
func (s *Session) lead() int { return s.mode().Lead(s.intake.Records(), MostHeld) }

// reaches returns the offset up to which documents of an assignment may be forwarded now.
func (s *Session) reaches() func(*assignment) int64 {
	if !s.mode().Bounded() {
		return func(*assignment) int64 { return math.MaxInt64 }
	}
	reach := map[*assignment]int64{}
	s.Replica.Look(func(r *index.Replica) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, a := range s.assigned {
			reach[a] = a.Mode.Reach(a, r)
		}
	})
	return func(a *assignment) int64 {
		if to, ok := reach[a]; ok {
			return to
		}
		return a.Base // assigned since: nothing of it was polled
	}
}

// overdue is how long a partition may be fed without being worth a poll. A slow feed should not hold documents up.
const overdue = 500 * time.Millisecond

// choose pauses the partitions that are not worth a poll, and resumes those that are. It returns how long the next
// poll may last, and how many records it may bring.
func (s *Session) choose() (wait time.Duration, most int) {
	mode := s.mode()
	if !mode.Bounded() {
		return quiet, s.intake.Records()
	}
	reach, lead, now := s.reaches(), s.lead(), time.Now()
	pause, resume := map[string][]int32{}, map[string][]int32{}
	within, waiting := int64(0), false
	s.mu.Lock()
	for at, a := range s.assigned {
		to := reach(a)
		worth := a.Mode.Worth(a, to, lead) || s.isOverdue(at, to > a.Base, now)
		switch {
		case !worth && !s.paused[at]:
			pause[at.topic] = append(pause[at.topic], at.partition)
		case worth && s.paused[at]:
			resume[at.topic] = append(resume[at.topic], at.partition)
		}
		s.paused[at] = !worth
		if worth {
			within += to - a.Base
			delete(s.waited, at)
		}
		waiting = waiting || !worth && a.Base < a.Range.To
	}
	client := s.client.Client()
	s.mu.Unlock()
	if len(pause) > 0 {
		client.PauseFetchPartitions(pause)
	}
	if len(resume) > 0 {
		client.ResumeFetchPartitions(resume)
	}
	switch wait = quiet; {
	case mode.Follows():
		wait = followEvery
	case waiting:
		wait = fedPause
	}
	most = s.intake.Records()
	if s.limited() { // a large batch would wait for long, and be lost in a kill
		most = min(most, s.Limit.Burst())
	}
	return wait, int(max(1, min(within, int64(most))))
}

// isOverdue says whether a partition was fed, and not polled for it, for too long. The caller holds mu.
func (s *Session) isOverdue(at key, fed bool, now time.Time) bool {
	since, waits := s.waited[at]
	switch {
	case !fed:
		delete(s.waited, at)
	case !waits:
		s.waited[at] = now
	default:
		return now.Sub(since) >= overdue
	}
	return false
}

// passBarren commits the ends of ranges of which compaction has deleted the rest, if nothing has come for a while.
// The client says nothing of what it passes over.
func (s *Session) passBarren(ctx context.Context, nothing bool) error {
	now := time.Now()
	if nothing && now.Sub(s.fruitful) < broker.BarrenPatience {
		return nil
	}
	s.fruitful = now
	if !nothing {
		return nil
	}
	var passed []*assignment
	var commits []standstill
	for _, a := range s.unfinished() {
		topics := broker.NewTopics(s.Cluster.Client, s.Logger)
		if topics.Barren(ctx, s.unpacker.Renew(), a.Topic, a.Source.Partition, a.Base, a.Range.To) {
			a.Pending = protocol.Tally{}
			passed, commits = append(passed, a), append(commits, standstill{a.TopicPartition, a.Range.To, a.Mode.Metadata(a)})
		}
	}
	if len(passed) == 0 {
		return nil
	}
	if err := s.commitPlainly(ctx, commits); err != nil {
		return rebuild("%w", err)
	}
	for _, a := range passed {
		a.Committed(a.Range.To)
	}
	return nil
}

// unfinished lists the assignments that may be forwarded to the end of their range, and are not.
func (s *Session) unfinished() (of []*assignment) {
	reach := s.reaches()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.assigned {
		if a.Base < a.Range.To && reach(a) == a.Range.To {
			of = append(of, a)
		}
	}
	return of
}

// limited says that batches wait for the rate of the backfill. Where a feeder appends, it waits instead.
func (s *Session) limited() bool {
	return s.Limit != nil && !s.mode().Fed()
}

// admit waits until the rate allows the batch, which is no larger than a burst.
func (s *Session) admit(ctx context.Context, b *batch) error {
	if !s.limited() {
		return nil
	}
	return s.whileAssigned(ctx, func(ctx context.Context) error {
		if err := s.Limit.WaitN(ctx, b.Size); err != nil {
			return fmt.Errorf("wait for the rate: %w", err)
		}
		return nil
	})
}

// recall takes the verdicts of documents that were fed.
func (s *Session) recall(b *batch) {
	if !s.mode().Fed() {
		return
	}
	for i := range b.groups {
		for k := range b.groups[i].items {
			it := &b.groups[i].items[k]
			it.Entry.Offset, it.Entry.Time = it.record.Offset, it.record.Timestamp.UnixMilli()
		}
	}
	s.Replica.Look(b.Recall)
}

// rewind has the client read again what was polled beyond the reach. The client believes it committed.
func (s *Session) rewind(b *batch) {
	var to map[string]map[int32]kgo.EpochOffset
	for i := range b.groups {
		g := &b.groups[i]
		if !g.Beyond {
			continue
		}
		if to == nil {
			to = map[string]map[int32]kgo.EpochOffset{}
		}
		if to[g.Topic] == nil {
			to[g.Topic] = map[int32]kgo.EpochOffset{}
		}
		to[g.Topic][g.Source.Partition] = kgo.EpochOffset{Epoch: -1, Offset: g.End}
	}
	s.client.Client().SetOffsets(to)
}

// unannouncedFed lists the assignments of a backfill whose verdicts the replicas hold although much of them is
// committed.
func (s *Session) unannouncedFed() (of []*assignment) {
	lead := s.lead()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.assigned {
		if a.Mode.Due(a, lead) {
			of = append(of, a)
		}
	}
	return of
}

// leaveOutUnread leaves out the partitions that are not read.
func (s *Session) leaveOutUnread(of []topicPartition, given map[string]map[int32]kgo.Offset) (read []topicPartition, err error) {
	for i := range of {
		is, err := s.Mode.Reads(&of[i])
		switch {
		case err != nil:
			return nil, s.stopped(&stop.Error{
				What:   fmt.Sprintf("topic %s was deleted and created again since this backfill began", of[i].Topic),
				Remedy: fromTheStart, Err: err,
			})
		case is:
			read = append(read, of[i])
		default:
			delete(given[of[i].Topic], of[i].Source.Partition)
		}
	}
	return read, nil
}

// fromTheStart is the remedy where a backfill cannot go on.
const fromTheStart = "remove the backfill and begin it again: unecho backfill remove"
