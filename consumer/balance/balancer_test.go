package balance

import (
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// What a session deals has a tag, whoever gets it, and a session takes nothing that has none: neither what Kafka deals
// to members of the new protocol nor what another program does.
func TestDealt(t *testing.T) {
	t.Parallel()
	b := New(NewIncarnation(time.UnixMilli(1_800_000_000_000), false))
	var members []kmsg.JoinGroupResponseMember
	for _, id := range []string{"a", "b", "spare"} {
		members = append(members, kmsg.JoinGroupResponseMember{
			MemberID: id, ProtocolMetadata: b.JoinGroupMetadata([]string{"news"}, nil, -1),
		})
	}
	deals, topics, err := b.MemberBalancer(members)
	if _, reads := topics["news"]; err != nil || !reads {
		t.Fatalf("the members read %v: %v", topics, err)
	}
	if !b.stale.Load() {
		t.Error("a leader without a plan does not say that one is to be made")
	}
	into, err := deals.(kgo.GroupMemberBalancerOrError).BalanceOrError(map[string]int32{"news": 2})
	if err != nil {
		t.Fatal(err)
	}
	if b.Again() {
		t.Error("a leader that has made a plan asks for another")
	}
	dealt := into.IntoSyncAssignment()
	if len(dealt) != 3 {
		t.Fatalf("dealt to %d members, want 3", len(dealt))
	}
	given := 0
	for _, to := range dealt {
		got, err := b.ParseSyncAssignment(to.MemberAssignment)
		if err != nil {
			t.Errorf("what is dealt to %s is refused: %v", to.MemberID, err)
		}
		given += len(got["news"])
	}
	if given != 2 {
		t.Errorf("%d partitions of 2 are dealt", given)
	}
	a := kmsg.NewConsumerMemberAssignment()
	a.Topics = []kmsg.ConsumerMemberAssignmentTopic{{Topic: "news", Partitions: []int32{0}}}
	for name, by := range map[string][]byte{"Kafka": nil, "another program": []byte("its own")} {
		a.UserData = by
		if got, err := b.ParseSyncAssignment(a.AppendTo(nil)); !errors.Is(err, ErrStranger) {
			t.Errorf("dealt by %s: %v, %v, want to be refused", name, got, err)
		}
	}
}
