package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/phase"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index/entry"
)

// takeovers take over the partitions that the group gives a session. The client's callbacks run them, one at a time,
// beside the loop: the partitions that the session has go on meanwhile. Between two clients the loop may change it.
type takeovers struct {
	*Setup
	slot     string
	mail     *mailbox
	standing *standing
	reaches  *reaches
	client   *client // the one at hand
	tells    adviser

	patient map[entry.Source]*protocol.Patience
	moved   map[entry.Source]bool // the source has another document there than was judged
	phases  *phase.Phases         // of the way to the partitions that are being given
	err     error                 // of makeWay
}

func newTakeovers(setup *Setup, slot string, mail *mailbox, st *standing, r *reaches) *takeovers {
	return &takeovers{
		Setup: setup, slot: slot, mail: mail, standing: st, reaches: r, patient: map[entry.Source]*protocol.Patience{},
		moved: map[entry.Source]bool{}, tells: adviser{Setup: setup, slot: slot, mail: mail, standing: st, gone: map[entry.Source]int64{}},
	}
}

// opens begins with a client that is about to be made.
func (t *takeovers) opens(c *client) { t.client, t.phases, t.err = c, phase.Begin(), nil }

// callbacks are the options by which a client has partitions taken over.
func (t *takeovers) callbacks() []kgo.Opt {
	deals := balance.New(t.Incarnation)
	return []kgo.Opt{
		kgo.Balancers(deals),
		kgo.AdjustFetchOffsetsFn(t.assign),
		kgo.OnPartitionsAssigned(func(ctx context.Context, client *kgo.Client, given map[string][]int32) {
			if deals.Again() {
				client.ForceRebalance()
			}
			t.makeWay(ctx, given)
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, taken map[string][]int32) { t.revoke(taken) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, taken map[string][]int32) { t.revoke(taken) }),
	}
}

// post tells the loop what came or went.
func (t *takeovers) post(l letter) {
	t.reaches.note(&l)
	t.mail.post(l)
}

// revoke notes that partitions are no longer ours, given back or lost.
func (t *takeovers) revoke(taken map[string][]int32) {
	var l letter
	for topic, partitions := range taken {
		for _, p := range partitions {
			name := protocol.PartitionName{Topic: topic, Partition: p}
			l.lost = append(l.lost, name)
			t.Waiting.forget(name)
			t.client.unpacker.Reported(entry.Name(topic, p))
		}
	}
	t.post(l)
}

// assign runs the steps of an assignment (design 4, rules 3 and 4) for all partitions that the group gave this
// session, and returns where each is to be read from. The client calls it after each rebalance, before it fetches.
func (t *takeovers) assign(ctx context.Context,
	given map[string]map[int32]kgo.Offset,
) (map[string]map[int32]kgo.Offset, error) {
	t.standing.assigned(time.Now())
	if err := t.err; err != nil {
		t.err = nil
		return nil, err
	}
	t.phases.End("client")
	of, err := t.bind(ctx, partitionsOf(given))
	if err != nil {
		return nil, err
	}
	l := letter{unled: leaveOut(of, given, &t.Logger)}
	of, final := leaveOutUnread(t.Mode, of, given)
	if final != nil {
		return nil, t.mail.stop(final)
	}
	if err := t.fitOutputs(ctx, of); err != nil {
		return nil, err
	}
	t.phases.End("topics")
	terms, err := t.terms()
	if err != nil {
		return nil, err
	}
	takeovers := make([]*protocol.Takeover, len(of))
	for i, tp := range of {
		its := terms // what was written to a topic before it was found is not to be lost
		its.Latest = its.Latest && !t.Sources.passing(tp.Topic)
		takeovers[i] = protocol.NewTakeover(tp, its, t.patience(tp.Source))
	}
	if err := t.takeOver(ctx, takeovers); err != nil {
		return nil, err
	}
	for _, takeover := range takeovers {
		t.give(takeover, given, &l)
	}
	t.post(l)
	t.standing.reads()
	t.Logger.Info().Str("session", t.slot).Int("partitions", len(of)).EmbedObject(t.phases).Msg("reading begins")
	return given, nil
}

// terms are those of the takeovers that begin now. What they say of the group's duty is found outdated if that changes
// before the partitions are taken over.
func (t *takeovers) terms() (protocol.Terms, error) {
	routed, duty, err := t.ourDuty()
	return protocol.Terms{
		Routed: routed, Duty: duty, Latest: t.Source.Start == "latest",
		AcceptLostOffsets: t.Source.AcceptLostOffsets, AcceptJournalGap: t.Source.AcceptJournalGap, Mode: t.Mode,
	}, err
}

// patience returns what is remembered of a partition from one takeover to the next.
func (t *takeovers) patience(of entry.Source) *protocol.Patience {
	p := t.patient[of]
	if p == nil {
		p = &protocol.Patience{Ahead: t.Ahead}
		t.patient[of] = p
	}
	return p
}

// give notes the result of a takeover: where the partition is read from, or that it is not read because it has no
// leader.
func (t *takeovers) give(of *protocol.Takeover, given map[string]map[int32]kgo.Offset, l *letter) {
	at := of.Name()
	if of.Asks() == protocol.Leaderless {
		delete(given[at.Topic], at.Partition)
		l.unled = append(l.unled, at)
		t.Logger.Warn().Str("topic", at.Topic).Int32("partition", at.Partition).
			Msg("partition has no leader: it waits for one, the others go on")
		return
	}
	a := of.Assignment()
	l.given = append(l.given, a)
	given[at.Topic][at.Partition] = kgo.NewOffset().At(a.Base).WithEpoch(-1)
	t.Logger.Info().Str("topic", at.Topic).Int32("partition", at.Partition).Int64("offset", a.Base).
		Uint32("epoch", a.Epoch).Msg("partition assigned")
}

func partitionsOf(given map[string]map[int32]kgo.Offset) map[string][]int32 {
	of := make(map[string][]int32, len(given))
	for topic, partitions := range given {
		of[topic] = slices.Collect(maps.Keys(partitions))
	}
	return of
}

// leaveOut drops the topics that bind has left out, and returns their partitions. A broker that has just begun may not
// know a topic that is there, so it is looked for as a partition without a leader is.
func leaveOut(of []topicPartition, given map[string]map[int32]kgo.Offset, logger *zerolog.Logger) (unled []protocol.PartitionName) {
	for topic, partitions := range given {
		if !slices.ContainsFunc(of, func(tp topicPartition) bool { return tp.Topic == topic }) {
			for p := range partitions {
				unled = append(unled, protocol.PartitionName{Topic: topic, Partition: p})
			}
			delete(given, topic)
			logger.Info().Str("topic", topic).Msg("a topic is gone before it is read: the others go on")
		}
	}
	return unled
}

// leaveOutUnread leaves out the partitions that are not read.
func leaveOutUnread(mode protocol.Mode, of []topicPartition, given map[string]map[int32]kgo.Offset) (read []topicPartition, final *stop.Error) {
	for i := range of {
		is, err := mode.Reads(&of[i])
		switch {
		case err != nil:
			return nil, &stop.Error{
				What:   fmt.Sprintf("topic %s was deleted and created again since this backfill began", of[i].Topic),
				Remedy: fromTheStart, Err: err,
			}
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

// bind looks up the topics' UUIDs, as they are now. A topic that is deleted and created again is another source. One
// that is gone, and was not named, is left out.
func (t *takeovers) bind(ctx context.Context, given map[string][]int32) ([]topicPartition, error) {
	topics, err := t.Cluster.Admin().ListTopics(ctx, slices.Collect(maps.Keys(given))...)
	if err != nil {
		return nil, fmt.Errorf("describe source topics: %w", err)
	}
	var of []topicPartition
	for topic, partitions := range given {
		detail, ok := topics[topic]
		if t.Sources.passing(topic) && (!ok || errors.Is(detail.Err, kerr.UnknownTopicOrPartition)) {
			continue
		}
		if !ok || detail.Err != nil {
			return nil, fmt.Errorf("describe source topic %s: %w", topic, errors.Join(detail.Err))
		}
		for _, p := range partitions {
			of = append(of, topicPartition{
				Topic: topic, Partitions: int32(len(detail.Partitions)),
				Source: entry.Source{Topic: detail.ID, Partition: p},
			})
		}
	}
	return of, nil
}
