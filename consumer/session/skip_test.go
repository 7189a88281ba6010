package session

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/protocol"
)

// The end of a range is not committed for a partition that was taken away, although the loop does not know it yet: another
// session may have it.
func TestSkipLeavesWhatWasTaken(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	group, err := kgo.NewGroupTransactSession(kgo.WithContext(ctx), kgo.SeedBrokers("127.0.0.1:1"), kgo.TransactionalID("t"),
		kgo.ConsumerGroup("g"), kgo.ConsumeTopics("news"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		group.Client().CloseAllowingRebalance()
	})
	box := &mail.Box{}
	if err := box.Open(func() {}); err != nil {
		t.Fatal(err)
	}
	made := make(chan struct{})
	close(made)
	plan := &protocol.Plan{}
	mode := protocol.NewMode(plan)
	l := &loop{
		mail: box, client: &client{group: group, made: made},
		member: protocol.NewMember(mode, &protocol.Intake{}, 1, time.Time{}),
	}
	a := &assignment{TopicPartition: protocol.TopicPartition{Topic: "news"}, Mode: mode}
	box.Post(mail.Letter{Lost: []protocol.PartitionName{a.Name()}})
	if err := l.skip(ctx, &protocol.Step{Want: protocol.WantEnds, Of: []*assignment{a}}); err != nil || a.Base != 0 {
		t.Errorf("the end of a partition that was taken away: base %d, %v; want 0 and no error", a.Base, err)
	}
}

// Who has set the largest documents that there are is not told to set more.
func TestSkipRemedy(t *testing.T) {
	c := &client{Setup: &Setup{Params: DefaultParams()}}
	e := &kgo.ErrDecompressTooLarge{Topic: "news", Partition: 3, NextOffset: 17}
	if got := c.skipRemedy(e); !strings.Contains(got, "--topic news:3 --reset-offsets --to-offset 17") ||
		!strings.Contains(got, "set advanced.max_document_bytes to more than 16MiB") {
		t.Errorf("the remedy is %s", got)
	}
	c.Params.MaxBatchBytes = 128 << 20
	if got := c.skipRemedy(e); !strings.Contains(got, "--to-offset 17") || strings.Contains(got, "max_document_bytes") {
		t.Errorf("the remedy is %s", got)
	}
}
