package takeover

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
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/phase"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
)

// Takeovers take over the partitions that the group gives a session. The client's callbacks run them, one at a time,
// beside the loop: the partitions that the session has go on meanwhile. Between two clients the loop may change it.
type Takeovers struct {
	*Setup
	slot     string
	mail     *mail.Box
	standing *standing.Session
	unpacker *unpack.Unpacker // of the client at hand
	steps    steps

	patient map[entry.Source]*protocol.Patience
	phases  *phase.Phases // of the way to the partitions that are being given
	err     error         // of awaitPreviousOwners
}

// New makes those of one session.
func New(setup *Setup, slot string, box *mail.Box, st *standing.Session) *Takeovers {
	return &Takeovers{
		Setup: setup, slot: slot, mail: box, standing: st, patient: map[entry.Source]*protocol.Patience{},
		steps: newSteps(setup, slot, box, st),
	}
}

// Open begins with a client that is about to be made. Identity returns the session's in the group.
func (t *Takeovers) Open(u *unpack.Unpacker, identity func() cluster.Identity) {
	t.unpacker, t.steps.identity, t.phases, t.err = u, identity, phase.Begin(), nil
}

// Moved notes that a source has another document where one was judged. Who takes the partition over ends its epoch. The
// client that calls back is closed.
func (t *Takeovers) Moved(source entry.Source) { t.steps.moved[source] = true }

// Options are those by which a client has partitions taken over.
func (t *Takeovers) Options() []kgo.Opt {
	deals := balance.New(t.Incarnation)
	return []kgo.Opt{
		kgo.Balancers(deals),
		kgo.AdjustFetchOffsetsFn(t.assign),
		kgo.OnPartitionsAssigned(func(ctx context.Context, client *kgo.Client, given map[string][]int32) {
			if deals.Again() {
				client.ForceRebalance()
			}
			t.awaitPreviousOwners(ctx, given)
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, taken map[string][]int32) { t.revoke(taken) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, taken map[string][]int32) { t.revoke(taken) }),
	}
}

// revoke notes that partitions are no longer ours, given back or lost.
func (t *Takeovers) revoke(taken map[string][]int32) {
	var l mail.Letter
	for topic, partitions := range taken {
		for _, p := range partitions {
			name := protocol.PartitionName{Topic: topic, Partition: p}
			l.Lost = append(l.Lost, name)
			t.Waiting.Forget(name)
			t.unpacker.Reported(name)
		}
	}
	t.post(l)
}

// post tells the loop what came or went.
func (t *Takeovers) post(l mail.Letter) {
	t.standing.Note(&l)
	t.mail.Post(l)
}

// awaitPreviousOwners runs when the group gives partitions to this session, before the client asks for their offsets. It ends
// transactions that dead members left open, and waits for the commits of living ones. The client would ask once a
// second only, and say nothing. Both waits are to save time. They are bounded, so that a broker that is away holds up
// neither partitions of others nor the next rebalance. The steps of the assignment wait for whatever is open
// afterwards.
func (t *Takeovers) awaitPreviousOwners(ctx context.Context, given map[string][]int32) {
	if t.err = nil; t.phases.Ended() {
		t.phases = phase.Begin()
	} else { // the first time it begins with the opening of the session
		t.phases.End("join")
	}
	if len(given) == 0 {
		if t.standing.Nothing() {
			t.standing.Idles(time.Now())
		}
		return
	}
	within(ctx, cluster.FencingWithin, t.Cluster.FenceDead)
	t.phases.End("fence")
	within(ctx, openTransactionPatience, func(ctx context.Context) { t.awaitTransactions(ctx, given) })
	t.phases.End("settle")
}

// openTransactionPatience bounds how long partitions wait for the living. It is longer than StablePatience, so that
// StableOffsets says what it waits for.
const openTransactionPatience = cluster.StablePatience + 500*time.Millisecond

func within(ctx context.Context, bound time.Duration, do func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	do(ctx)
}

// awaitTransactions waits for transactions that are open on the offsets. An error that does not pass is kept for
// assign, which would meet it next.
func (t *Takeovers) awaitTransactions(ctx context.Context, given map[string][]int32) {
	of, err := t.bind(ctx, given)
	if err == nil {
		_, err = t.Cluster.StableOffsets(ctx, of, t.Ahead)
	}
	if err != nil && !broker.Retriable(err) { // else waiting goes on there
		t.err = err
	}
}

// assign runs the steps of an assignment (design 4, rules 3 and 4) for all partitions that the group gave this
// session, and returns where each is to be read from. The client calls it after each rebalance, before it fetches.
func (t *Takeovers) assign(ctx context.Context,
	given map[string]map[int32]kgo.Offset,
) (map[string]map[int32]kgo.Offset, error) {
	t.standing.Assigned(time.Now())
	if err := t.err; err != nil {
		t.err = nil
		return nil, err
	}
	t.phases.End("client")
	of, err := t.bind(ctx, partitionsOf(given))
	if err != nil {
		return nil, err
	}
	l := mail.Letter{Unled: leaveOut(of, given, &t.Logger)}
	of, final := leaveOutUnread(t.Terms.Mode, of, given)
	if final != nil {
		return nil, t.mail.Stop(final)
	}
	if err := fitOutputs(ctx, of, &t.steps.tells); err != nil {
		return nil, err
	}
	t.phases.End("topics")
	terms := t.Terms // what is said of the duty is found outdated if that changes before the partitions are taken over
	if terms.Routed, terms.Duty, err = t.steps.duty(); err != nil {
		return nil, err
	}
	takeovers := make([]*protocol.Takeover, len(of))
	for i, tp := range of {
		its := terms
		its.Latest = t.Topics.Choice.Latest(tp.Topic)
		takeovers[i] = protocol.NewTakeover(tp, its, t.patience(tp.Source))
	}
	if err := t.steps.takeOver(ctx, takeovers, t.phases); err != nil {
		return nil, err
	}
	for _, takeover := range takeovers {
		t.give(takeover, given, &l)
	}
	t.post(l)
	t.standing.Reads()
	t.Logger.Info().Str("session", t.slot).Int("partitions", len(of)).EmbedObject(t.phases).Msg("reading begins")
	return given, nil
}

// patience returns what is remembered of a partition from one takeover to the next.
func (t *Takeovers) patience(of entry.Source) *protocol.Patience {
	p := t.patient[of]
	if p == nil {
		p = &protocol.Patience{Ahead: t.Ahead}
		t.patient[of] = p
	}
	return p
}

// give notes the result of a takeover: where the partition is read from, or that it is not read because it has no
// leader.
func (t *Takeovers) give(of *protocol.Takeover, given map[string]map[int32]kgo.Offset, l *mail.Letter) {
	at := of.Name()
	if of.Asks() == protocol.Leaderless {
		delete(given[at.Topic], at.Partition)
		l.Unled = append(l.Unled, at)
		t.Logger.Warn().Str("topic", at.Topic).Int32("partition", at.Partition).
			Msg("partition has no leader: it waits for one, the others go on")
		return
	}
	a := of.Assignment()
	l.Given = append(l.Given, a)
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
func leaveOut(of []protocol.TopicPartition, given map[string]map[int32]kgo.Offset, logger *zerolog.Logger) (unled []protocol.PartitionName) {
	for topic, partitions := range given {
		if !slices.ContainsFunc(of, func(tp protocol.TopicPartition) bool { return tp.Topic == topic }) {
			for p := range partitions {
				unled = append(unled, protocol.PartitionName{Topic: topic, Partition: p})
			}
			delete(given, topic)
			logger.Info().Str("topic", topic).Msg("a topic is gone before it is read: the others go on")
		}
	}
	return unled
}

func leaveOutUnread(mode protocol.Mode, of []protocol.TopicPartition, given map[string]map[int32]kgo.Offset) (read []protocol.TopicPartition, final *stop.Error) {
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

// bind looks up the topics' UUIDs, as they are now. A topic that is deleted and created again is another source. One
// that is gone, and was not named, is left out.
func (t *Takeovers) bind(ctx context.Context, given map[string][]int32) ([]protocol.TopicPartition, error) {
	topics, err := t.Cluster.Admin().ListTopics(ctx, slices.Collect(maps.Keys(given))...)
	if err != nil {
		return nil, fmt.Errorf("describe source topics: %w", err)
	}
	var of []protocol.TopicPartition
	for topic, partitions := range given {
		detail, ok := topics[topic]
		if t.Topics.MatchedByPattern(topic) && (!ok || errors.Is(detail.Err, kerr.UnknownTopicOrPartition)) {
			continue
		}
		if !ok || detail.Err != nil {
			return nil, fmt.Errorf("describe source topic %s: %w", topic, errors.Join(detail.Err))
		}
		for _, p := range partitions {
			of = append(of, protocol.TopicPartition{
				Topic: topic, Partitions: int32(len(detail.Partitions)),
				Source: entry.Source{Topic: detail.ID, Partition: p},
			})
		}
	}
	return of, nil
}
