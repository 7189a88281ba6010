package session

import (
	"math"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/pipeline"
	"github.com/unecho/unecho/consumer/protocol"
)

// brought is what a client brings of a partition in one piece.
func brought(topic string, offsets ...int64) kgo.Fetch {
	p := kgo.FetchPartition{}
	for _, offset := range offsets {
		p.Records = append(p.Records, &kgo.Record{Offset: offset})
	}
	return kgo.Fetch{Topics: []kgo.FetchTopic{{Topic: topic, Partitions: []kgo.FetchPartition{p}}}}
}

// news is the assignment of a partition of that topic, from base on.
func news(topic string, base int64) *assignment {
	return &assignment{TopicPartition: protocol.TopicPartition{Topic: topic}, Base: base, Mode: protocol.NewMode(nil)}
}

// polled is a member that has these partitions, and has begun a batch.
func polled(t *testing.T, fetches kgo.Fetches, of ...*assignment) *protocol.Member {
	t.Helper()
	m := protocol.NewMember(protocol.NewMode(nil), protocol.NewIntake(100), 0, time.Now())
	m.Give(of...)
	_, fetch := (&pipeline.Pipeline{}).Sort(fetches, func(name protocol.PartitionName) (*assignment, int64) {
		a := m.Find(name)
		return a, a.Base
	}, func(*assignment) int64 { return math.MaxInt64 })
	m.Fetched(time.Now(), protocol.Journal{}, fetch, false)
	return m
}

// The client commits what is behind the records that it brought last. Where it has brought those a second time, offsets do
// not go back for it: who takes over would forward them again.
func TestOffsetsDoNotGoBack(t *testing.T) {
	m := polled(t, kgo.Fetches{brought("news", 4, 5, 6), brought("news", 4, 5), brought("views", 6, 7)}, news("news", 4), news("views", 9))
	l := &loop{mail: &mail.Box{}, member: m}
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	for topic, offset := range map[string]int64{"news": 6, "views": 8} {
		p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		p.Offset = offset
		req.Topics = append(req.Topics, kmsg.TxnOffsetCommitRequestTopic{
			Topic: topic, Partitions: []kmsg.TxnOffsetCommitRequestTopicPartition{p},
		})
	}
	if err := l.stamp(req); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"news": 7, "views": 9}
	for _, topic := range req.Topics {
		if got := topic.Partitions[0].Offset; got != want[topic.Topic] {
			t.Errorf("%s is committed to %d, want %d", topic.Topic, got, want[topic.Topic])
		}
	}
}

// Nothing is committed of a partition that was taken away, also where the loop does not know yet.
func TestNothingIsCommittedOfWhatWasTaken(t *testing.T) {
	m := polled(t, kgo.Fetches{brought("news", 4, 5, 6)}, news("news", 4))
	l := &loop{mail: &mail.Box{}, member: m}
	if err := l.mail.Open(func() {}); err != nil {
		t.Fatal(err)
	}
	l.mail.Post(mail.Letter{Lost: []protocol.PartitionName{{Topic: "news"}}})
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	req.Topics = []kmsg.TxnOffsetCommitRequestTopic{{
		Topic: "news", Partitions: []kmsg.TxnOffsetCommitRequestTopicPartition{kmsg.NewTxnOffsetCommitRequestTopicPartition()},
	}}
	if err := l.stamp(req); err == nil {
		t.Error("the offset of a partition that was taken away is committed, want an error")
	}
}
