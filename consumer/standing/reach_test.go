package standing

import (
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
)

// The partitions that are read count, over all sessions. Those of a session that is built again count until others are
// given.
func TestPartitionsThatAreReadCount(t *testing.T) {
	of := func(partitions ...int32) (given []*protocol.Assignment) {
		for _, p := range partitions {
			given = append(given, &protocol.Assignment{TopicPartition: protocol.TopicPartition{Topic: "news", Source: entry.Source{Partition: p}}})
		}
		return given
	}
	names := func(partitions ...int32) (names []protocol.PartitionName) {
		for _, p := range partitions {
			names = append(names, protocol.PartitionName{Topic: "news", Partition: p})
		}
		return names
	}
	counters := &measure.Counters{}
	one, two := New("m-s0", func() {}, counters), New("m-s1", func() {}, counters)
	for _, c := range []struct {
		name string
		do   func()
		want int64
	}{
		{"three are given", func() { one.Note(&mail.Letter{Given: of(0, 1, 2)}) }, 3},
		{"one has no leader", func() { one.Note(&mail.Letter{Unled: names(3)}) }, 3},
		{"another session is given two", func() { two.Note(&mail.Letter{Given: of(4, 5)}) }, 5},
		{"two are revoked, and one that it had not", func() { one.Note(&mail.Letter{Lost: names(0, 1, 7)}) }, 3},
		{"a session is built again", func() { one.Opens(time.Now()) }, 3},
		{"it is given four", func() { one.Note(&mail.Letter{Given: of(0, 1, 2, 3)}) }, 6},
		{"all are revoked", func() { one.Note(&mail.Letter{Lost: names(0, 1, 2, 3)}); two.Note(&mail.Letter{Lost: names(4, 5)}) }, 0},
	} {
		c.do()
		if got := counters.Partitions.Load(); got != c.want {
			t.Errorf("%s: %d partitions are counted, want %d", c.name, got, c.want)
		}
	}
}
