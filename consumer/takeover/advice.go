package takeover

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// adviser tells people what takeovers find and decide.
type adviser struct {
	*Setup
	slot     string
	mail     *mail.Box
	standing *standing.Session
}

// decided says what a takeover has decided, and stops the process where a person is needed.
func (t *adviser) decided(ctx context.Context, of *protocol.Takeover) error {
	switch of.Decision.Action {
	case protocol.Begin:
		t.warn(of)
	case protocol.Wait:
		t.logWait(of)
	case protocol.Refuse:
		if of.Decision.Reason == protocol.Below {
			all, err := t.lost(ctx)
			if err != nil {
				return err
			}
			return t.mail.Stop(t.below(&of.Findings, all))
		}
		return t.mail.Stop(t.refusal(&of.Findings, of.Decision.Reason))
	case protocol.GoOn, protocol.Resume:
	}
	return nil
}

// warn says why an epoch begins, if a person may wonder about it.
func (t *adviser) warn(of *protocol.Takeover) {
	var message string
	switch of.Decision.Reason {
	case protocol.NoOffset:
		message = "no committed offset: going on from the last announced base, what was committed beyond it comes out again"
	case protocol.Gap:
		message = "the journal knows nothing of what was committed: going on there with an empty memory"
	case protocol.Foreign:
		message = "the offset was set by someone else, or the document there is another one: a new epoch begins"
	case protocol.InStep, protocol.New, protocol.Beyond, protocol.Unfinished, protocol.Behind, protocol.Below,
		protocol.Deleted,
		protocol.Unreadable, protocol.HasRetired:
		return
	}
	t.Logger.Warn().Str("topic", of.Topic).Int32("partition", of.Source.Partition).Int64("offset", of.Decision.Offset).
		Msg(message)
}

// logWait says why a partition waits. Mostly it does so for a moment only.
func (t *adviser) logWait(of *protocol.Takeover) {
	why := map[protocol.Reason]string{
		protocol.Behind: "the journal does not know the epoch of its committed offset",
		protocol.Below:  "its committed offset is below what was forwarded",
		protocol.Beyond: "its committed offset lies beyond its end",
	}[of.Decision.Reason]
	if t.standing.WaitsFor(of.Name(), why, of.Waited) {
		t.Logger.Warn().Str("topic", of.Topic).Int32("partition", of.Source.Partition).Str("because", why).
			Msg("a partition waits, and those assigned with it; if that does not pass, the process ends and says what to do")
	}
}

// logAway says that partitions wait for a journal that is away.
func (t *adviser) logAway(some []*protocol.Takeover, since time.Duration) {
	for _, of := range some {
		if t.standing.WaitsFor(of.Name(), "the journal does not answer", since) {
			t.Logger.Warn().Str("session", t.slot).Str("topic", of.Topic).Int32("partition", of.Source.Partition).
				Msg("a partition was assigned while the journal does not answer: it waits, the others of the session go on")
		}
	}
}

// logUnfit says that partitions wait for the outputs of a topic.
func (t *adviser) logUnfit(of []protocol.TopicPartition, topic string, err error, since time.Duration) {
	tell := false
	for _, tp := range of {
		why := "the outputs of " + topic + " are not ready"
		tell = t.standing.WaitsFor(tp.Name(), why, since) || tell
	}
	if tell {
		t.Logger.Warn().Str("session", t.slot).Str("topic", topic).Err(err).
			Msg("the outputs of a topic are not ready: the assigned partitions wait, and unecho tries again")
	}
}

// refusal says why the session cannot go on, and what a person can do.
func (t *adviser) refusal(f *protocol.Findings, why protocol.Reason) *stop.Error {
	at := fmt.Sprintf("the committed offset of %s/%d", f.Topic, f.Source.Partition)
	switch why {
	case protocol.Behind:
		if f.Known {
			return &stop.Error{
				What: fmt.Sprintf("%s is of epoch %d, and the journal %s lost its end: it knows of epoch %d",
					at, f.Committed.Epoch, t.Log.Topic, f.Replica.Epoch),
				Remedy: "restore the journal; if that is not possible, stop all members and set the offset to where it is: " +
					t.reset(f, "--to-current"),
			}
		}
		return &stop.Error{
			What: fmt.Sprintf("%s is of epoch %d, and the journal %s never knew this partition", at, f.Committed.Epoch,
				t.Log.Topic),
			Remedy: "if the journal was lost, or deleted to begin anew, start once with --accept-journal-gap " + t.Log.Gap() +
				": committed offsets stay, what was remembered is lost; else correct group. If the source topic was deleted and " +
				"created again, set the offset instead: " + t.reset(f, "--to-earliest"),
		}
	case protocol.Beyond:
		if !f.Known {
			return &stop.Error{
				What: fmt.Sprintf("%s is %d, but the topic ends at %d, and the journal %s never knew this partition",
					at, f.Committed.Offset, f.End, t.Log.Topic),
				Remedy: "if the source topic was deleted and created again, stop all members and have it read from its beginning: " +
					t.reset(f, "--to-earliest") + "; else correct group",
			}
		}
		return &stop.Error{
			What: fmt.Sprintf("%s is %d, but the topic ends at %d: the source lost documents, or the offset was set too far",
				at, f.Committed.Offset, f.End),
			Remedy: "stop all members and set the offset: " + t.reset(f, fmt.Sprintf("--to-offset %d", f.End)),
		}
	case protocol.Unreadable:
		return t.Log.Unreadable()
	case protocol.HasRetired:
		return member.Succeeded(t.Log.Topic, &f.Duty)
	case protocol.Deleted:
		return &stop.Error{
			What: fmt.Sprintf("documents of %s/%d were deleted before they were read: it begins at %d, and %d is next", f.Topic,
				f.Source.Partition, f.Begin, max(f.Mode.First(f), f.Committed.Offset)),
			Remedy: fromTheStart + " with a later --from, and raise retention.ms of the topic meanwhile",
		}
	case protocol.NoOffset:
		return &stop.Error{
			What:   at + " is gone: the group was away for longer than offsets.retention.minutes, or a person deleted it",
			Remedy: fromTheStart,
		}
	case protocol.Foreign:
		return &stop.Error{What: at + " was set by someone else, or the topic lost documents", Remedy: fromTheStart}
	case protocol.InStep, protocol.New, protocol.Unfinished, protocol.Gap, protocol.Below:
	}
	return &stop.Error{What: at + " is of no use", Remedy: "this is a bug of unecho: report it"}
}

// below says why the session cannot go on where an offset was lost, and names all that were.
func (t *adviser) below(f *protocol.Findings, all []string) *stop.Error {
	if own := protocol.LostOffsets(f.Name(), f.Replica.Base); !slices.Contains(all, own) {
		all = append(all, own)
	}
	return &stop.Error{
		What: fmt.Sprintf("the committed offset of %s/%d is %d, but all below %d was forwarded: the group's offsets were lost", f.Topic,
			f.Source.Partition, f.Committed.Offset, f.Replica.Base),
		Remedy: fmt.Sprintf("start once with --accept-lost-offsets %s to go on where forwarding ended, or set the offsets by "+
			"hand to forward again", strings.Join(all, ",")),
	}
}

// lost names all offsets of the group that were lost: as a rule they are lost together. What is committed is read once more
// after the bases, since other members commit meanwhile.
func (t *adviser) lost(ctx context.Context) (all []string, err error) {
	committed, err := broker.Committed(ctx, t.Cluster.Admin(), t.Cluster.Group)
	if err != nil || len(committed) == 0 {
		return nil, err
	}
	topics, err := t.Cluster.Admin().ListTopics(ctx, slices.Collect(maps.Keys(committed))...)
	if err != nil {
		return nil, err
	}
	bases := map[entry.PartitionName]index.Partition{}
	t.Replica.Look(func(r *index.Replica) {
		for _, o := range committed.Sorted() {
			if now, known := r.Partition(entry.Source{Topic: topics[o.Topic].ID, Partition: o.Partition}); known {
				bases[entry.Name(o.Topic, o.Partition)] = now
			}
		}
	})
	if committed, err = broker.Committed(ctx, t.Cluster.Admin(), t.Cluster.Group); err != nil {
		return nil, err
	}
	for _, o := range committed.Sorted() {
		name, c := entry.Name(o.Topic, o.Partition), protocol.NewCommitted(o.At, o.Metadata)
		if now, known := bases[name]; known && c.Lost(now) {
			all = append(all, protocol.LostOffsets(name, now.Base))
		}
	}
	return all, nil
}

// reset is the command that sets a partition's offset. Kafka refuses it while a member is in the group.
func (t *adviser) reset(f *protocol.Findings, to string) string {
	return fmt.Sprintf("kafka-consumer-groups.sh --group %s --topic %s:%d --reset-offsets %s --execute", t.Cluster.Group,
		f.Topic, f.Source.Partition, to)
}

// fromTheStart is the remedy where a backfill cannot go on.
const fromTheStart = "remove the backfill and begin it again: unecho backfill remove"
