package consumer

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Of two processes with one name exactly one yields, and nobody yields to itself.
func TestYieldsTo(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	early, late, other := newIncarnation(now), newIncarnation(now.Add(time.Millisecond)), newIncarnation(now)
	if early.yieldsTo(early.clientID("unecho")) {
		t.Error("yields to itself")
	}
	if !early.yieldsTo(late.clientID("unecho")) || late.yieldsTo(early.clientID("my-name")) {
		t.Error("the earlier does not yield to the later, or the later to the earlier")
	}
	if early != other && early.yieldsTo(other.clientID("x")) == other.yieldsTo(early.clientID("x")) {
		t.Errorf("of %s and %s, started at once, both yield or none", early, other)
	}
	for _, foreign := range []string{"", "unecho", "-", "unecho-1", "rdkafka-abc"} {
		if !early.yieldsTo(foreign) {
			t.Errorf("does not yield to %q, which is no session", foreign)
		}
	}
}

// lateJoin sends what a former client of the instance would have sent to join, and returns when the group shows it.
func (w *world) lateJoin(instance, clientID string) {
	w.t.Helper()
	opts := append([]kgo.Opt{}, w.setup.Kafka...)
	client, err := kgo.NewClient(append(opts, kgo.ClientID(clientID))...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(client.Close)
	balancer := kgo.CooperativeStickyBalancer()
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.InstanceID, req.ProtocolType = w.setup.Params.Group, &instance, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 6000, 6000
	protocol := kmsg.NewJoinGroupRequestProtocol()
	protocol.Name, protocol.Metadata = balancer.ProtocolName(), balancer.JoinGroupMetadata([]string{"news"}, nil, -1)
	req.Protocols = append(req.Protocols, protocol)
	before, _ := memberOf(w.cluster.GroupInfo(w.setup.Params.Group), instance)
	go func() { _, _ = req.RequestWith(w.context(), client) }() // nobody waits for the answer of a closed client
	if _, err := w.cluster.WaitGroupInfo(w.context(), w.setup.Params.Group, func(g *kfake.GroupInfo) bool {
		now, _ := memberOf(g, instance)
		return now != before
	}); err != nil {
		w.t.Fatalf("the late request has not taken the instance: %v", err)
	}
}

// memberOf returns what the group shows of an instance.
func memberOf(g *kfake.GroupInfo, instance string) (memberID, clientID string) {
	for _, m := range g.Members {
		if m.InstanceID != nil && *m.InstanceID == instance {
			return m.MemberID, m.ClientID
		}
	}
	return "", ""
}

// A request to join that outlived its client fences the session that came after it. The session takes its place back, from a
// client of this process or of one before it, and goes on.
func TestLateJoin(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(own string) string{
		"this process":   func(own string) string { return own },
		"the one before": func(string) string { return newIncarnation(time.UnixMilli(1)).clientID("unecho") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			w.start(named("m"))
			w.produce(100, 63)
			w.settled()
			_, own := memberOf(w.cluster.GroupInfo(w.setup.Params.Group), "m-s0")
			w.lateJoin("m-s0", of(own))
			w.produce(100, 64)
			w.settled()
			w.audited()
		})
	}
}
