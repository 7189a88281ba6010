package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/unpack"
)

// client is a session's place in the group.
type client struct {
	*Setup
	slot       string
	mail       *mailbox
	unpacker   *unpack.Unpacker
	abandon    context.CancelFunc // ends its every request
	made       chan struct{}      // closed when group is set: callbacks may come before
	group      *kgo.GroupTransactSession
	reads      []string                        // topics
	subscribed int                             // the version of Sources that these are
	paused     map[protocol.PartitionName]bool // partitions that are not polled now
	unled      map[protocol.PartitionName]bool // given, and not read: they had no leader
	looked     time.Time                       // for leaders of these
}

// open makes a client, which takes part in the group from then on.
func (s *Session) open() error {
	life, abandon := context.WithCancel(context.Background())
	if err := s.mail.opens(abandon); err != nil {
		abandon()
		return err
	}
	s.reaches.opens()
	s.standing.opens(time.Now())
	s.pipeline.renew()
	c := &client{
		Setup: s.Setup, slot: s.slot, mail: s.mail, unpacker: s.pipeline.unpacker, abandon: abandon, made: make(chan struct{}),
		paused: map[protocol.PartitionName]bool{}, unled: map[protocol.PartitionName]bool{},
	}
	if c.reads, c.subscribed = s.Sources.List(); len(c.reads) == 0 {
		s.standing.idles(time.Now()) // the client joins the group with the first topic
	}
	if s.client != nil {
		c.looked = s.client.looked
	}
	s.takeovers.opens(c)
	group, err := kgo.NewGroupTransactSession(append(slices.Concat(c.options(), s.standing.leaveLogger(s.Cluster.Client),
		c.unpacker.Options(s.Cluster.Client), s.takeovers.callbacks()), kgo.WithContext(life))...)
	if err != nil {
		abandon()
		return fmt.Errorf("open session %s: %w", s.slot, err)
	}
	c.group, s.client = group, c
	close(c.made)
	return nil
}

// kafka is the client as its callbacks see it.
func (c *client) kafka() *kgo.Client {
	<-c.made
	return c.group.Client()
}

// close ends the client without leaving the group. At a final shutdown leaveGroup does that.
//
// Closing waits for the end of a rebalance, which others may hold up. The client uses that wait: it leaves the group
// where its revoked partitions would belong to nobody. It gets closeWait for that.
func (s *Session) close(ctx context.Context, l *loop) {
	timer := time.AfterFunc(closeWait, s.client.abandon)
	s.client.group.CloseAllowingRebalance()
	timer.Stop()
	s.client.abandon()
	l.deliver()
	for _, a := range l.member.Assigned() {
		s.Waiting.forget(a.Name())
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := l.announce(ctx, l.member.Unannounced()); err != nil {
		s.Logger.Debug().Err(err).Msg("last base is not announced") // the next owner fetches it
	}
}

const closeWait = 500 * time.Millisecond

// note notes which of the partitions have no leader.
func (c *client) note(l *letter) {
	for _, name := range l.unled {
		c.unled[name] = true
	}
	for _, name := range l.lost {
		delete(c.unled, name)
	}
}

// ready looks after what came without documents: a topic, a leader.
func (c *client) ready(ctx context.Context) error {
	if err := c.subscribe(); err != nil {
		return err
	}
	return c.ledAgain(ctx)
}

// subscribe reads topics that have come since the client was opened. A session that reads a topic that is gone is
// built anew without it. A topic is one of Sources when its outputs are as they must be.
func (c *client) subscribe() error {
	topics, version := c.Sources.List()
	if version == c.subscribed {
		return nil
	}
	for _, topic := range c.reads {
		if !slices.Contains(topics, topic) {
			return rebuild("topic %s is not read any more", topic)
		}
	}
	var come []string
	for _, topic := range topics {
		if !slices.Contains(c.reads, topic) {
			come = append(come, topic)
		}
	}
	c.group.Client().AddConsumeTopics(come...)
	c.reads, c.subscribed = topics, version
	return nil
}

// ledAgain looks from time to time whether a partition that was left out has a leader again. Then the session is
// built anew, and takes the steps of an assignment for all it has: the client offers no way to begin with one
// partition more.
func (c *client) ledAgain(ctx context.Context) error {
	if len(c.unled) == 0 || time.Since(c.looked) < protocol.Quiet {
		return nil
	}
	c.looked = time.Now()
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	topics := map[string][]protocol.PartitionName{}
	for name := range c.unled {
		topics[name.Topic] = append(topics[name.Topic], name)
	}
	for topic, unled := range topics {
		ends, err := broker.Offsets(ctx, c.Cluster.Admin().ListEndOffsets, topic)
		if err != nil {
			continue // the topic may be gone; the next look may tell
		}
		for _, name := range unled {
			if end, ok := ends.Lookup(name.Topic, name.Partition); ok && end.Err == nil {
				return rebuild("%s has a leader again", name)
			}
		}
	}
	return nil
}

// lookTimeout bounds how long the other partitions are held up by a look.
const lookTimeout = time.Second

// choose pauses the partitions that are not worth a poll, and resumes those that are.
func (c *client) choose(assigned, worth []*assignment) {
	pause, resume := map[string][]int32{}, map[string][]int32{}
	for _, a := range assigned {
		name, is := a.Name(), slices.Contains(worth, a)
		switch {
		case !is && !c.paused[name]:
			pause[name.Topic] = append(pause[name.Topic], name.Partition)
		case is && c.paused[name]:
			resume[name.Topic] = append(resume[name.Topic], name.Partition)
		}
		c.paused[name] = !is
	}
	if len(pause) > 0 {
		c.group.Client().PauseFetchPartitions(pause)
	}
	if len(resume) > 0 {
		c.group.Client().ResumeFetchPartitions(resume)
	}
}

// poll waits for records, and says whether it did so as long as it might.
func (c *client) poll(drain context.Context, wait time.Duration, most int) (fetches kgo.Fetches, waited bool) {
	ctx, cancel := context.WithTimeout(drain, wait)
	defer cancel()
	fetches = c.group.PollRecords(ctx, most)
	c.unpacker.Polled(fetches)
	return fetches, ctx.Err() != nil
}

// troubled returns the first error that came with a poll, apart from the end of its own context, which may have come if
// the poll has waited, or brought something. The client reports some errors once and then leaves the partition alone, so
// records of other partitions must not hide them.
func (c *client) troubled(fetches kgo.Fetches, waited bool, member *protocol.Member) error {
	own := waited || fetches.NumRecords() > 0
	var first error
	fetches.EachError(func(topic string, partition int32, err error) {
		switch {
		case first != nil, own && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)), c.bears(err, member):
		case topic == "": // it is about the group
			first = fmt.Errorf("take part in the group: %w", err)
		default:
			first = fmt.Errorf("read %s/%d: %w", topic, partition, err)
		}
	})
	return first
}

// replaced asks the group whether another process took this session's instance. Such a process has first fenced the
// transactional id, so that the session may see no more than a fenced producer; and building it anew would fence the
// other in turn, for ever. A process whose client has not joined yet, or that the group cannot be asked about, is
// found when this session is fenced again.
func (c *client) replaced(ctx context.Context) bool {
	own, _ := c.kafka().GroupMetadata()
	if own == "" {
		return false // it had no place that could have been taken
	}
	ctx, cancel := context.WithTimeout(ctx, replacedTimeout)
	defer cancel()
	for {
		by, told := c.successor(ctx, own)
		if told {
			return c.Incarnation.YieldsTo(by)
		}
		if retry.Pause(ctx, replacedPause) != nil {
			return false
		}
	}
}

// successor returns the incarnation of the member that has this session's instance now, unless that is still the
// member own. If nobody else has it, by is this process's own incarnation. Told says that the group has answered and
// that its members have settled.
func (c *client) successor(ctx context.Context, own string) (by balance.Incarnation, told bool) {
	groups, err := c.Cluster.Admin().DescribeGroups(ctx, c.Params.Group)
	if err != nil {
		return "", false
	}
	group := groups[c.Params.Group]
	for _, m := range group.Members {
		if m.InstanceID != nil && *m.InstanceID == c.slot && m.MemberID != own {
			return balance.IncarnationOf(&m), group.State == "Stable" // else it shows no metadata
		}
	}
	return c.Incarnation, true
}

// How long a session waits for the group to settle, and how often it looks.
const (
	replacedTimeout = 2 * time.Second
	replacedPause   = 50 * time.Millisecond
)

// standstill is an offset that is committed although nothing is forwarded.
type standstill struct {
	protocol.TopicPartition
	offset   int64
	metadata string
}

// commitPlainly commits offsets without a transaction, as the group member that the session is, so that a zombie's
// are refused.
func (c *client) commitPlainly(ctx context.Context, some []standstill) error {
	member, generation := c.kafka().GroupMetadata()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.Generation = c.Params.Group, member, generation
	req.InstanceID = &c.slot
	at := map[string]int{} // topic -> its place in the request
	for _, t := range some {
		i, there := at[t.Topic]
		if !there {
			i, at[t.Topic] = len(req.Topics), len(req.Topics)
			topic := kmsg.NewOffsetCommitRequestTopic()
			topic.Topic, topic.TopicID = t.Topic, t.Source.Topic
			req.Topics = append(req.Topics, topic)
		}
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.Metadata = t.Source.Partition, t.offset, &t.metadata
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, p)
	}
	resp, err := req.RequestWith(ctx, c.Cluster.Client)
	if err != nil {
		return fmt.Errorf("commit offset %d of %s: %w", some[0].offset, some[0].Name(), err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return fmt.Errorf("commit an offset of partition %d: %w", p.Partition, err)
			}
		}
	}
	return nil
}
