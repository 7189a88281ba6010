package consumer

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
)

const ours = `{"judge":{"similarity":{"threshold":0.8}},"version":"text/2 minhash/2"}`

// undisturbed has members work while processes start that do not belong to their group. Those are refused, and the
// members go on as if nobody had come.
func undisturbed(t *testing.T, settings string, come func(w *world)) {
	t.Helper()
	w := newWorld(t, 4)
	w.setup.Settings = []byte(settings)
	// whatever the machine does
	w.setup.Params.SessionTimeout, w.setup.Params.TransactionTimeout = 9*time.Second, 30*time.Second
	w.produce(100, 61)
	members := []*running{w.start(named("a"), sessions(1)), w.start(named("b"), sessions(1))}
	halves := func(g *kfake.GroupInfo) bool { // when it is true, the last rebalance is over
		return g != nil && g.State == "Stable" && len(g.Members) == 2 && g.Members[0].NumAssigned() == 2 &&
			g.Members[1].NumAssigned() == 2
	}
	shared, err := w.cluster.WaitGroupInfo(w.context(), "unecho", halves)
	if err != nil {
		t.Fatal(err)
	}
	w.settled()
	before := shared.Epoch
	come(w)
	w.produce(100, 62)
	w.settled()
	if now := w.cluster.GroupInfo("unecho"); now.Epoch != before || len(now.Members) != 2 {
		t.Errorf("the group was rebalanced: %d, %+v", before, now)
	}
	for _, m := range members {
		if s := m.Stats(); s.Rebuilds+s.Divergences+s.Withdrawals > 0 || !m.Ready() {
			t.Errorf("disturbed: %+v", s)
		}
	}
	for p := range w.sent {
		if got := w.partition(members[0], p); got.Epoch != 1 {
			t.Errorf("partition %d is in epoch %d", p, got.Epoch)
		}
	}
	w.audited()
}

// Members whose settings or version differ are refused, whether they restore a snapshot or read the journal. The
// message shows the difference.
func TestForeignSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, theirs string
		says         []string
	}{
		{"another threshold", `{"judge":{"similarity":{"threshold":0.9}},"version":"text/2 minhash/2"}`, []string{"threshold", "0.8", "0.9"}},
		{"an older version", `{"judge":{"similarity":{"threshold":0.8}},"version":"text/2 minhash/1"}`, []string{"version", "minhash/1", "minhash/2"}},
		{"a newer version", `{"judge":{"similarity":{"threshold":0.8}},"version":"text/3 minhash/2"}`, []string{"version", "text/3", "text/2"}},
		{"one more setting", `{"judge":{"similarity":{"threshold":0.8,"weighted":true}},"version":"text/2 minhash/2"}`, []string{"weighted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			undisturbed(t, ours, func(w *world) {
				for _, directory := range []string{w.dir, w.t.TempDir()} {
					m := w.launch(named("foreign"), func(s *Setup) {
						s.Settings = []byte(c.theirs)
					}, w.in(directory))
					w.refusedBy(m, append(c.says, "the settings differ", "use the same settings as the other members")...)
					if got := m.Stats().Journal.Records; got != 0 {
						t.Errorf("it appended %d records", got)
					}
				}
			})
		})
	}
}

// A second group is given the journal of a first, and perhaps its snapshots. It is refused before it appends anything,
// even if somebody has written to the journal in its name.
func TestForeignJournal(t *testing.T) {
	t.Parallel()
	undisturbed(t, ours, func(w *world) {
		w.until("there is no snapshot", func() bool { return len(w.snapshots()) > 1 })
		own := journal.Append(nil, &index.Settings{Text: []byte(ours), Wall: 1})
		for _, directory := range []string{w.t.TempDir(), w.dir, w.t.TempDir(), w.dir} {
			m := w.launch(named("other"), func(s *Setup) {
				s.Params.Group, s.Journal.Topic = "another", "unecho.journal"
			}, w.in(directory))
			w.refusedBy(m, "journal unecho.journal belongs to another consumer group than another", `is of group "unecho"`,
				"correct group")
			if got := m.Stats().Journal.Records; got != 0 {
				t.Errorf("it appended %d records", got)
			}
			w.write(&kgo.Record{Key: []byte("another"), Value: own})
		}
		if g := w.cluster.GroupInfo("another"); g != nil && len(g.Members)+len(g.Commits) > 0 {
			t.Errorf("it took part: %+v", g)
		}
	})
}

// Kafka shares out the partitions itself, as it does where a consumer of the new protocol came in the moment before the
// group's first assignments. The members read none of them.
func TestDealtByKafka(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(20, 82)
	w.cluster.ControlKey(int16(kmsg.SyncGroup), func(req kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		given := kmsg.NewConsumerMemberAssignment()
		given.Topics = []kmsg.ConsumerMemberAssignmentTopic{{Topic: "news", Partitions: []int32{0, 1}}}
		resp := req.ResponseKind().(*kmsg.SyncGroupResponse)
		resp.MemberAssignment = given.AppendTo(nil)
		return resp, nil, true
	})
	m := w.launch(named("m"))
	w.refusedBy(m, "another program is a member of group unecho", "another program than unecho assigned")
	if s := m.Stats(); s.Commits+s.Skipped > 0 || s.Unique > 0 {
		t.Errorf("it has taken what it was given: %+v", s)
	}
}
