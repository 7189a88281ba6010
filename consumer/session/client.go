package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
)

// client is a session's place in the group.
type client struct {
	*Setup
	slot       string
	mail       *mail.Box
	unpacker   *unpack.Unpacker
	abandon    context.CancelFunc // ends its every request
	made       chan struct{}      // closed when group is set: callbacks may come before
	group      *kgo.GroupTransactSession
	reads      []string                        // topics
	subscribed int                             // the version of Topics that these are
	paused     map[protocol.PartitionName]bool // partitions that are not polled now
	leaderless map[protocol.PartitionName]bool // given, and not read: they had no leader
	looked     time.Time                       // for leaders of these
	left       atomic.Bool                     // the group, for good
}

// kafka is the client as its callbacks see it.
func (c *client) kafka() *kgo.Client {
	<-c.made
	return c.group.Client()
}

// note notes which of the partitions have no leader.
func (c *client) note(l *mail.Letter) {
	for _, name := range l.Unled {
		c.leaderless[name] = true
	}
	for _, name := range l.Lost {
		delete(c.leaderless, name)
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
// built anew without it. A topic is one of Topics when its outputs are as they must be.
func (c *client) subscribe() error {
	topics, version := c.Topics.List()
	if version == c.subscribed {
		return nil
	}
	for _, topic := range c.reads {
		if !slices.Contains(topics, topic) {
			return fmt.Errorf("topic %s is not read any more", topic)
		}
	}
	come := slices.DeleteFunc(slices.Clone(topics), func(topic string) bool { return slices.Contains(c.reads, topic) })
	c.group.Client().AddConsumeTopics(come...)
	c.reads, c.subscribed = topics, version
	return nil
}

// ledAgain looks from time to time whether a partition that was left out has a leader again. Then the session is
// built anew, and takes the steps of an assignment for all it has: the client offers no way to begin with one
// partition more.
func (c *client) ledAgain(ctx context.Context) error {
	if len(c.leaderless) == 0 || time.Since(c.looked) < protocol.Quiet {
		return nil
	}
	c.looked = time.Now()
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	topics := map[string][]protocol.PartitionName{}
	for name := range c.leaderless {
		topics[name.Topic] = append(topics[name.Topic], name)
	}
	for topic, unled := range topics {
		ends, err := broker.Offsets(ctx, c.Cluster.Admin().ListEndOffsets, topic)
		if err != nil {
			continue // the topic may be gone; the next look may tell
		}
		for _, name := range unled {
			if end, ok := ends.Lookup(name.Topic, name.Partition); ok && end.Err == nil {
				return fmt.Errorf("%s has a leader again", name)
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
	c.group.Client().PauseFetchPartitions(pause) // which does nothing if the map is empty
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

// rewind has the client read again what was polled beyond the reach. The client believes it committed.
func (c *client) rewind(groups []protocol.Group) {
	to := map[string]map[int32]kgo.EpochOffset{}
	for i := range groups {
		g := &groups[i]
		if !g.Beyond {
			continue
		}
		if to[g.Topic] == nil {
			to[g.Topic] = map[int32]kgo.EpochOffset{}
		}
		to[g.Topic][g.Source.Partition] = kgo.EpochOffset{Epoch: -1, Offset: g.End}
	}
	c.group.Client().SetOffsets(to) // which does nothing if the map is empty
}

// troubled returns the first error that came with a poll, apart from the end of its own context, which may have come if
// the poll has waited, or brought something. The client reports some errors once and then leaves the partition alone, so
// records of other partitions must not hide them.
func (c *client) troubled(fetches kgo.Fetches, waited bool, member *protocol.Member) error {
	own := waited || fetches.NumRecords() > 0
	var first error
	fetches.EachError(func(topic string, partition int32, err error) {
		switch {
		case first != nil, own && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)), c.tolerates(err, member):
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

// identity is this session's in the group.
func (c *client) identity() cluster.Identity {
	member, generation := c.kafka().GroupMetadata()
	return cluster.Identity{Slot: c.slot, Member: member, Generation: generation}
}

// tolerates says that the other partitions go on in spite of an error of one. The next batch of that one has no room
// yet, or cannot be unpacked at all.
func (c *client) tolerates(err error, member *protocol.Member) bool {
	if errors.Is(err, unpack.ErrLater) {
		return true
	}
	var stopped *kgo.ErrDecompressTooLarge
	if !errors.As(err, &stopped) {
		return false
	}
	name := protocol.PartitionName{Topic: stopped.Topic, Partition: stopped.Partition}
	c.unpacker.Reported(name)
	a := member.Find(name)
	if a != nil && a.Mode.Finite() {
		if stopped.Offset < a.Range.To {
			_ = c.mail.Stop(unpack.Ended(stopped)) // which wakes the loop, and ends the process
		}
		return true
	}
	if a != nil && c.Waiting.Add(standing.Waiting{PartitionName: name, Offset: stopped.Offset, Next: stopped.NextOffset}) {
		c.Logger.Error().Str("topic", stopped.Topic).Int32("partition", stopped.Partition).Int64("offset", stopped.Offset).
			Int64("next_offset", stopped.NextOffset).Str("remedy", c.skipRemedy(stopped)).
			Msg("a batch holds more records than there is room for, or cannot be read: its partition waits, the others go on")
	}
	return true
}

// skipRemedy says how a person can go on. All members are stopped and a command leaves out the batch, or the batch gets
// more room. A batch of many small records may be wanted.
func (c *client) skipRemedy(e *kgo.ErrDecompressTooLarge) string {
	skip := fmt.Sprintf("stop all members, then kafka-consumer-groups.sh --group %s --topic %s:%d --reset-offsets "+
		"--to-offset %d --execute", c.Params.Group, e.Topic, e.Partition, e.NextOffset)
	if c.Params.MaxBatchBytes >= 2*entry.MaxText {
		return skip
	}
	return skip + fmt.Sprintf("; or, if its documents are wanted, set advanced.max_document_bytes to more than %v, for which "+
		"all members take new settings (deploy/docs/change.md: Change a setting that decides)", c.Params.MaxBatchBytes/2)
}
