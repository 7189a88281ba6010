package consumer

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// decide does what rule 4 says for one partition: it returns the assignment, or notes what is to be opened, or that the steps must
// be repeated.
func (s *session) decide(ctx context.Context, f *protocol.Findings, then *openings) (*assignment, error) {
	f.Moved, f.Waited = s.hasMoved(f.Source), s.patience.waited(f.Source)
	f.Routed, f.Latest = s.routed, s.sourceParams.Start == "latest"
	f.AcceptLostOffsets, f.AcceptJournalGap = s.sourceParams.AcceptLostOffsets, s.sourceParams.AcceptJournalGap
	switch d := f.Decide(); d.Action {
	case protocol.GoOn:
		s.patience.forget(f.Source)
		delete(s.resumed, f.Source)
		return &d.Assignment, nil
	case protocol.Begin:
		s.warn(f, d)
		s.patience.forget(f.Source)
		then.add(f, &d, false)
		return nil, nil //nolint:nilnil // the rest comes with others
	case protocol.Resume:
		if err := s.unread(ctx, s.resumed[f.Source]); err != nil {
			return nil, s.stopped(err)
		}
		s.resumed[f.Source]++
		then.add(f, &d, true)
		return nil, nil //nolint:nilnil // the rest comes with others
	case protocol.Wait:
		s.patience.begin(f.Source, time.Now().Add(-s.waited))
		s.tellWait(f, d.Reason)
		then.waits = true
		return nil, nil //nolint:nilnil // the steps are repeated
	case protocol.Refuse:
		return nil, s.stopped(s.refusal(f, d.Reason))
	}
	return nil, fmt.Errorf("decide about %s/%d: no such action", f.Topic, f.Source.Partition)
}

// warn says why an epoch begins, where a person may wonder.
func (s *session) warn(f *protocol.Findings, d protocol.Decision) {
	var message string
	switch d.Reason {
	case protocol.NoOffset:
		message = "no committed offset: going on from the last announced base, what was committed beyond it comes out again"
	case protocol.Gap:
		message = "the journal knows nothing of what was committed: going on there with an empty memory"
	case protocol.Foreign:
		message = "the offset was set by someone else, or the document there is another one: a new epoch begins"
	case protocol.Settled, protocol.New, protocol.Beyond, protocol.Unfinished, protocol.Behind, protocol.Below, protocol.Deleted:
		return
	}
	s.logger.Warn().Str("topic", f.Topic).Int32("partition", f.Source.Partition).Int64("offset", d.Offset).Msg(message)
}

// tellWait says why a partition waits. Mostly it does so for a moment only.
func (s *session) tellWait(f *protocol.Findings, reason protocol.Reason) {
	why := map[protocol.Reason]string{
		protocol.Behind: "the journal does not know the epoch of its committed offset",
		protocol.Below:  "its committed offset is below what was forwarded",
		protocol.Beyond: "its committed offset lies beyond its end",
	}[reason]
	if s.standing.waitsFor(key{f.Topic, f.Source.Partition}, why, s.patience.waited(f.Source)) {
		s.logger.Warn().Str("topic", f.Topic).Int32("partition", f.Source.Partition).Str("because", why).
			Msg("partition waits, and with it those that came with it; if that does not pass, the process ends and says what to do")
	}
}

// refusal says why the session cannot go on, and what a person can do.
func (s *session) refusal(f *protocol.Findings, why protocol.Reason) *StopError {
	at := fmt.Sprintf("the committed offset of %s/%d", f.Topic, f.Source.Partition)
	switch why {
	case protocol.Behind:
		if f.Known {
			return &StopError{
				What: fmt.Sprintf("%s is of epoch %d, and the journal %s lost its end: it knows of epoch %d",
					at, f.Committed.Epoch, s.journalTopic, f.Replica.Epoch),
				Remedy: "restore the journal; if that is not possible, stop all members and set the offset to where it is: " + s.reset(f, "--to-current"),
			}
		}
		return &StopError{
			What: fmt.Sprintf("%s is of epoch %d, and the journal %s never knew this partition", at, f.Committed.Epoch, s.journalTopic),
			Remedy: "if the journal was lost, or a new one is meant, start once with source.accept_journal_gap: true: " +
				"committed offsets stay, what was remembered is lost; else name the group's own journal.topic. " +
				"If the source topic was deleted and created again, set the offset instead: " + s.reset(f, "--to-earliest"),
		}
	case protocol.Below:
		return &StopError{
			What: fmt.Sprintf("%s is %d, but all below %d was forwarded: the group's offsets were lost", at, f.Committed.Offset, f.Replica.Base),
			Remedy: fmt.Sprintf("start with source.accept_lost_offsets: true to go on from %d, or set the offset by hand to forward again",
				f.Replica.Base),
		}
	case protocol.Beyond:
		if !f.Known {
			return &StopError{
				What: fmt.Sprintf("%s is %d, but the topic ends at %d, and the journal %s never knew this partition",
					at, f.Committed.Offset, f.End, s.journalTopic),
				Remedy: "if the source topic was deleted and created again, stop all members and have it read from its beginning: " +
					s.reset(f, "--to-earliest") + "; else name the group's own journal.topic",
			}
		}
		return &StopError{
			What: fmt.Sprintf("%s is %d, but the topic ends at %d: the source lost documents, or the offset was set too far",
				at, f.Committed.Offset, f.End),
			Remedy: "stop all members and set the offset: " + s.reset(f, fmt.Sprintf("--to-offset %d", f.End)),
		}
	case protocol.Settled, protocol.New, protocol.NoOffset, protocol.Unfinished, protocol.Gap, protocol.Foreign, protocol.Deleted:
	}
	return &StopError{What: at + " is of no use", Remedy: "this is a bug of unecho: report it"}
}

// reset is the command that sets a partition's offset. Kafka refuses it while a member is in the group.
func (s *session) reset(f *protocol.Findings, to string) string {
	return fmt.Sprintf("kafka-consumer-groups.sh --group %s --topic %s:%d --reset-offsets %s --execute", s.params.Group, f.Topic, f.Source.Partition, to)
}

// patience remembers since when a partition waits for something to pass.
type patience map[entry.Source]time.Time

func (p patience) begin(source entry.Source, now time.Time) {
	if _, ok := p[source]; !ok {
		p[source] = now
	}
}

func (p patience) waited(source entry.Source) time.Duration {
	since, ok := p[source]
	if !ok {
		return 0
	}
	return time.Since(since)
}

func (p patience) forget(source entry.Source) { delete(p, source) }

// extents reads where partitions begin and end. It returns those whose leader can tell.
func (s *session) extents(ctx context.Context, of []*protocol.Findings) (led []*protocol.Findings, err error) {
	topics := map[string]bool{}
	var names []string
	for _, f := range of {
		if !topics[f.Topic] {
			topics[f.Topic] = true
			names = append(names, f.Topic)
		}
	}
	admin := kadm.NewClient(s.admin)
	starts, err := broker.Offsets(ctx, admin.ListStartOffsets, names...)
	if err != nil {
		return nil, fmt.Errorf("list offsets of the source: %w", err)
	}
	ends, err := broker.Offsets(ctx, admin.ListEndOffsets, names...)
	if err != nil {
		return nil, fmt.Errorf("list offsets of the source: %w", err)
	}
	for _, f := range of {
		start, ok := starts.Lookup(f.Topic, f.Source.Partition)
		end, also := ends.Lookup(f.Topic, f.Source.Partition)
		if ok && also && start.Err == nil && end.Err == nil {
			f.Begin, f.End = start.Offset, end.Offset
			led = append(led, f)
		}
	}
	return led, nil
}

// find looks at what the replica knows of a partition.
func find(r *index.Replica, tp topicPartition) *protocol.Findings {
	f := &protocol.Findings{TopicPartition: tp, Among: tp.Partitions}
	f.Replica, f.Known = r.Partition(tp.Source)
	if n, known := r.TopicPartitions(tp.Source.Topic); known {
		f.Among = n
	}
	return f
}
