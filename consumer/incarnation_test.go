package consumer

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/balance"
)

// lateJoin sends the join request that a former client of the instance would have sent, and returns when the group
// shows it.
func (w *world) lateJoin(instance string, of balance.Incarnation) {
	w.t.Helper()
	client, err := kgo.NewClient(w.setup.Kafka...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(client.Close)
	b := balance.New(of)
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.InstanceID, req.ProtocolType = w.setup.Params.Group, &instance, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 6000, 6000
	protocol := kmsg.NewJoinGroupRequestProtocol()
	protocol.Name, protocol.Metadata = b.ProtocolName(), b.JoinGroupMetadata([]string{"news"}, nil, -1)
	req.Protocols = append(req.Protocols, protocol)
	before := memberOf(w.cluster.GroupInfo(w.setup.Params.Group), instance)
	go func() { _, _ = req.RequestWith(w.context(), client) }() // nobody waits for the answer to a closed client
	if _, err := w.cluster.WaitGroupInfo(w.context(), w.setup.Params.Group, func(g *kfake.GroupInfo) bool {
		return memberOf(g, instance) != before
	}); err != nil {
		w.t.Fatalf("the late request has not taken the instance: %v", err)
	}
}

// tells checks that the group shows this incarnation of an instance to other processes.
func (w *world) tells(instance string, want balance.Incarnation) {
	w.t.Helper()
	group := w.setup.Params.Group
	groups, err := kadm.NewClient(w.client()).DescribeGroups(w.context(), group)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range groups[group].Members {
		if *m.InstanceID == instance && balance.IncarnationOf(&m) != want {
			w.t.Errorf("the group shows %q of %s, want %q", balance.IncarnationOf(&m), instance, want)
		}
	}
}

func memberOf(g *kfake.GroupInfo, instance string) (memberID string) {
	for _, m := range g.Members {
		if m.InstanceID != nil && *m.InstanceID == instance {
			return m.MemberID
		}
	}
	return ""
}

// A join request that outlived its client fences the session that came after it. The session takes its place back and
// goes on, whether the client was of this process or of one before it.
func TestLateJoin(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(own balance.Incarnation) balance.Incarnation{
		"this process":   func(own balance.Incarnation) balance.Incarnation { return own },
		"the one before": func(balance.Incarnation) balance.Incarnation { return balance.NewIncarnation(time.UnixMilli(1), false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 4)
			m := w.start(named("m"), sessions(1))
			w.produce(100, 63)
			w.settled()
			w.tells("m-s0", m.incarnation)
			w.lateJoin("m-s0", of(m.incarnation))
			w.produce(100, 64)
			w.settled()
			w.audited()
		})
	}
}
