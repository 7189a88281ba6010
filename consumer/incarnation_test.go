package consumer

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Of two processes with one name exactly one yields, and nobody yields to itself.
func TestYieldsTo(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	early, late, other := newIncarnation(now), newIncarnation(now.Add(time.Millisecond)), newIncarnation(now)
	if early.yieldsTo(early) {
		t.Error("yields to itself")
	}
	if !early.yieldsTo(late) || late.yieldsTo(early) {
		t.Error("the earlier does not yield to the later, or the later to the earlier")
	}
	if early != other && early.yieldsTo(other) == other.yieldsTo(early) {
		t.Errorf("of %s and %s, started at once, both yield or none", early, other)
	}
	if !late.yieldsTo(foreign) {
		t.Error("does not yield to who is no session")
	}
}

// What a session joins with tells its incarnation, and still all that its partitions are shared out by.
func TestIncarnationInMetadata(t *testing.T) {
	t.Parallel()
	of := newIncarnation(time.UnixMilli(1_800_000_000_000))
	plain := kgo.CooperativeStickyBalancer()
	told := balancer{plain, of}.JoinGroupMetadata([]string{"news"}, map[string][]int32{"news": {1, 2}}, 7)
	for _, c := range []struct {
		name     string
		metadata []byte
		want     incarnation
	}{
		{"ours", told, of},
		{"of another program", plain.JoinGroupMetadata([]string{"news"}, map[string][]int32{"news": {1, 2}}, 7), foreign},
		{"nothing", nil, foreign},
	} {
		if got := shown(c.metadata); got != c.want {
			t.Errorf("%s: read as %q, want %q", c.name, got, c.want)
		}
	}
	got := kmsg.NewConsumerMemberMetadata()
	if err := got.ReadFrom(told); err != nil || got.Generation != 7 || len(got.OwnedPartitions) != 1 || len(got.Topics) != 1 {
		t.Errorf("%+v: %v", got, err)
	}
}

// shown is what the group shows of a member that joined with the metadata, as a process reads it.
func shown(metadata []byte) incarnation {
	var m kmsg.ConsumerMemberMetadata
	_ = m.ReadFrom(metadata) // what is cut short is read as far as it goes
	return incarnationIn(m.UserData)
}

// lateJoin sends what a former client of the instance would have sent to join, and returns when the group shows it.
func (w *world) lateJoin(instance string, of incarnation) {
	w.t.Helper()
	client, err := kgo.NewClient(w.setup.Kafka...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(client.Close)
	b := balancer{kgo.CooperativeStickyBalancer(), of}
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.InstanceID, req.ProtocolType = w.setup.Params.Group, &instance, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 6000, 6000
	protocol := kmsg.NewJoinGroupRequestProtocol()
	protocol.Name, protocol.Metadata = b.ProtocolName(), b.JoinGroupMetadata([]string{"news"}, nil, -1)
	req.Protocols = append(req.Protocols, protocol)
	before := memberOf(w.cluster.GroupInfo(w.setup.Params.Group), instance)
	go func() { _, _ = req.RequestWith(w.context(), client) }() // nobody waits for the answer of a closed client
	if _, err := w.cluster.WaitGroupInfo(w.context(), w.setup.Params.Group, func(g *kfake.GroupInfo) bool {
		return memberOf(g, instance) != before
	}); err != nil {
		w.t.Fatalf("the late request has not taken the instance: %v", err)
	}
}

// tells looks for the incarnation of an instance where other processes do.
func (w *world) tells(instance string, want incarnation) {
	w.t.Helper()
	group := w.setup.Params.Group
	groups, err := kadm.NewClient(w.client()).DescribeGroups(w.context(), group)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range groups[group].Members {
		if *m.InstanceID == instance && incarnationOf(&m) != want {
			w.t.Errorf("the group shows %q of %s, want %q", incarnationOf(&m), instance, want)
		}
	}
}

// memberOf returns who has an instance.
func memberOf(g *kfake.GroupInfo, instance string) (memberID string) {
	for _, m := range g.Members {
		if m.InstanceID != nil && *m.InstanceID == instance {
			return m.MemberID
		}
	}
	return ""
}

// A request to join that outlived its client fences the session that came after it. The session takes its place back, from a
// client of this process or of one before it, and goes on.
func TestLateJoin(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(own incarnation) incarnation{
		"this process":   func(own incarnation) incarnation { return own },
		"the one before": func(incarnation) incarnation { return newIncarnation(time.UnixMilli(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			m := w.start(named("m"), sessions(1))
			w.produce(100, 63)
			w.settled()
			w.tells("m-s0", m.shared.incarnation)
			w.lateJoin("m-s0", of(m.shared.incarnation))
			w.produce(100, 64)
			w.settled()
			w.audited()
		})
	}
}
