package cluster

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/protocol"
)

// What was asked for is found among ten thousand answers at once: each round of the steps reads them all.
func TestCommittedOffsetsOfTenThousandPartitions(t *testing.T) {
	t.Parallel()
	const partitions = 10_000
	of := make([]protocol.TopicPartition, partitions)
	resp := kmsg.NewPtrOffsetFetchResponse()
	g, named, numbered := kmsg.NewOffsetFetchResponseGroup(), kmsg.NewOffsetFetchResponseGroupTopic(),
		kmsg.NewOffsetFetchResponseGroupTopic()
	named.Topic, numbered.TopicID = "a", [16]byte{2}
	for i := range of {
		tp := protocol.TopicPartition{Topic: "a"}
		tp.Source.Topic, tp.Source.Partition = [16]byte{1}, int32(i)
		into := &named
		if i%2 == 1 {
			tp.Topic, tp.Source.Topic, into = "b", [16]byte{2}, &numbered
		}
		of[i] = tp
		p := kmsg.NewOffsetFetchResponseGroupTopicPartition()
		p.Partition, p.Offset = int32(i), int64(7*i)
		into.Partitions = append(into.Partitions, p)
	}
	g.Topics = append(g.Topics, named, numbered)
	resp.Groups = append(resp.Groups, g)
	got, err := readCommitted(resp, of)
	if err != nil || len(got) != partitions {
		t.Fatalf("readCommitted returns %d offsets, error %v; want %d and no error", len(got), err, partitions)
	}
	for i, tp := range of {
		if got[tp.Source].Offset != int64(7*i) {
			t.Errorf("%s/%d is committed up to %d, want %d", tp.Topic, i, got[tp.Source].Offset, 7*i)
		}
	}
	if _, err := readCommitted(resp, append(of, protocol.TopicPartition{Topic: "c"})); err == nil {
		t.Error("nothing is said of a partition without an answer")
	}
}
