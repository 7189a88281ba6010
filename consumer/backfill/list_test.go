package backfill

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A group that no backfill can have does not hide the backfills. Its name may be any text.
func TestListWithForeignGroups(t *testing.T) {
	opts := world(t)
	client, err := kgo.NewClient(opts...)
	check(t, err)
	t.Cleanup(client.Close)
	admin := kadm.NewClient(client)
	for _, group := range []string{
		GroupOf("repair"), GroupOf("\x1b[2J/red"), GroupOf(""),
		GroupOf(strings.Repeat("x", 230)), "other",
	} {
		var at kadm.Offsets
		at.AddOffset("news", 0, 3, -1)
		check(t, admin.CommitAllOffsets(t.Context(), group, at))
	}
	listed, err := List(t.Context(), opts)
	check(t, err)
	if len(listed) != 1 || listed[0].Name != "repair" {
		t.Errorf("listed are %+v", listed)
	}
}

// A journal that cannot be read does not hide the other backfills, and is named. One that is gone at the second look
// is left out.
func TestListUnread(t *testing.T) {
	c, opts := newCluster(t)
	client, err := kgo.NewClient(opts...)
	check(t, err)
	t.Cleanup(client.Close)
	admin := kadm.NewClient(client)
	for _, name := range []string{"closed", "going", "repair"} {
		_, err := admin.CreateTopic(t.Context(), 1, 1, nil, JournalOf(name))
		check(t, err)
	}
	c.ControlKey(int16(kmsg.ListOffsets), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		switch listed := req.(*kmsg.ListOffsetsRequest); listed.Topics[0].Topic {
		case JournalOf("closed"):
			return refused(listed, kerr.TopicAuthorizationFailed), nil, true
		case JournalOf("going"):
			c.SleepControl(func() { _, err = admin.DeleteTopic(t.Context(), JournalOf("going")) })
		}
		return nil, nil, false
	})
	listed, err := List(t.Context(), opts)
	check(t, err)
	if len(listed) != 2 || listed[0].Name != "closed" || listed[1].Name != "repair" {
		t.Fatalf("listed are %+v", listed)
	}
	if !errors.Is(listed[0].Err, kerr.TopicAuthorizationFailed) || listed[1].Err != nil {
		t.Errorf("why not: %v, %v", listed[0].Err, listed[1].Err)
	}
}

func refused(req *kmsg.ListOffsetsRequest, why *kerr.Error) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
	partition := kmsg.NewListOffsetsResponseTopicPartition()
	partition.ErrorCode = why.Code
	resp.Topics = []kmsg.ListOffsetsResponseTopic{{
		Topic:      req.Topics[0].Topic,
		Partitions: []kmsg.ListOffsetsResponseTopicPartition{partition},
	}}
	return resp
}
