package consumer

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index/snapshot"
)

// use has a member keep its snapshots in a directory for somebody.
func (w *world) use(directory string, by snapshot.Use) func(*Setup) {
	return func(s *Setup) {
		w.in(directory)(s)
		s.Snapshot.For = by
	}
}

// hasty has a start wait for a second only, and not for as long as the group bears with a member on a busy machine.
func hasty(s *Setup) { s.Params.SessionTimeout = time.Second }

// refused waits until a member has ended, and checks that it names what lifts that.
func (m *running) refused(why string) {
	m.world.t.Helper()
	m.world.refusedBy(m, why, "snapshot export, import")
	if stop := new(StopError); !errors.As(m.err, &stop) {
		m.world.t.Errorf("it ends with a %T, want a StopError", m.err)
	}
}

// trimmer is a keeper of snapshots that trims the journal as a member does that stays alone.
func (m *running) trimmer() *member.Keeper {
	k := member.NewKeeper(m.follower(), m.setup.Store, snapshot.Params{For: snapshot.ByOne}, *m.called.Load())
	p := &process{reached: m.group.Load(), kept: &m.kept, name: &name{member: *m.called.Load()}}
	k.Alone = p.aloneOr(func(err error) { m.world.t.Errorf("it ends with %v", err) })
	return k
}

func (w *world) journalStart() int64 {
	return w.cluster.PartitionInfo("unecho.journal", 0).LogStartOffset
}

// A member that stays alone has trimmed the journal. A second one is refused, whatever its configuration, and the first
// goes on. Behind the trimmed journal nobody begins with an empty memory. On a store that both see, with the snapshots
// of the first, two go on: what it remembered is found by both.
func TestFromOneMemberToTwo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.patient()
	alone := w.use(w.dir, snapshot.ByOne)
	first := w.start(named("first"), sessions(1), rarely, alone)
	k := first.trimmer()
	w.snapshotBy(k, 1)
	w.snapshotBy(k, 2)
	if w.journalStart() == 0 {
		t.Fatal("the journal is not trimmed")
	}
	elsewhere := t.TempDir()
	for _, by := range []snapshot.Use{snapshot.ByOne, snapshot.ByMember, snapshot.ByAll} {
		w.launch(named("second"), sessions(1), rarely, hasty, w.use(elsewhere, by)).refused("is to stay alone")
	}
	w.snapshotBy(k, 3)
	w.ended(first)
	for _, by := range []snapshot.Use{snapshot.ByOne, snapshot.ByMember, snapshot.ByAll} {
		w.launch(named("second"), sessions(1), rarely, w.use(elsewhere, by)).refused("no usable snapshot reaches so far")
	}
	shared := w.use(w.dir, snapshot.ByAll)
	both := []*running{w.start(named("first"), sessions(1), rarely, shared), w.start(named("second"), sessions(1), rarely, shared)}
	w.joined(2)
	for seed := range uint64(3) {
		w.produce(20, seed+1) // the same documents again
	}
	w.settled()
	w.eachOnce(append(both, first)...)
	for _, m := range both {
		if now := m.Stats(); now.Unique > 0 {
			t.Errorf("%d documents are unique to %s that were forwarded before", now.Unique, now.Member)
		}
	}
}

// A member that stays alone and was killed is in the group until its session times out. It is not its own second
// member, whether it had taken a snapshot or not. Without a name, too.
func TestOneThatStaysAloneStartsAgain(t *testing.T) {
	t.Parallel()
	for name, snapshots := range map[string]bool{"with a snapshot": true, "before its first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			alone := w.use(w.dir, snapshot.ByOne)
			m := w.launch(sessions(1), rarely, alone)
			w.produce(20, 1)
			w.settled()
			if snapshots {
				member.NewKeeper(m.follower(), m.setup.Store, snapshot.Params{}, "m").Take(w.context())
			}
			m.kill()
			w.start(sessions(1), rarely, alone)
			w.produce(20, 2)
			w.settled()
			w.audited()
		})
	}
}

// Two processes of one name, given or not, would have one place in the group. The second is refused and does not take the
// place of the first, also with a copy of its directory, and of when that had other snapshots. The first goes on to trim.
func TestTwoThatStayAloneHaveOneName(t *testing.T) {
	t.Parallel()
	for kind, change := range map[string]func(*Setup){"given": named("m"), "leased": named("")} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			w.patient()
			first := w.start(change, sessions(1), rarely, w.use(w.dir, snapshot.ByOne))
			k, copies := first.trimmer(), []string{t.TempDir()}
			for seed := range uint64(2) {
				w.snapshotBy(k, seed)
				copies = append(copies, w.copied())
			}
			w.snapshotBy(k, 3) // the snapshot of the first copy is behind what is trimmed
			for _, directory := range copies {
				w.launch(change, sessions(1), rarely, hasty, w.use(directory, snapshot.ByOne)).refused("is to stay alone")
			}
			before := w.journalStart()
			w.snapshotBy(k, 4)
			if w.journalStart() <= before || before == 0 {
				t.Errorf("the journal begins at %d, and at %d before the last snapshot", w.journalStart(), before)
			}
			w.eachOnce(first)
		})
	}
}

// copied copies the directory of the snapshots.
func (w *world) copied() string {
	w.t.Helper()
	directory := w.t.TempDir()
	if err := os.CopyFS(directory, os.DirFS(w.dir)); err != nil {
		w.t.Fatal(err)
	}
	return directory
}

// Two that stay alone start at the same moment, so that neither need see the other at its start. One goes on, also where
// both have one name.
func TestTwoThatStayAloneStartAtOnce(t *testing.T) {
	t.Parallel()
	for name, called := range map[string][2]string{"two names": {"one", "two"}, "one name": {"one", "one"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			w.produce(20, 1)
			one := w.launch(named(called[0]), sessions(1), w.use(w.dir, snapshot.ByOne))
			two := w.launch(named(called[1]), sessions(1), w.use(t.TempDir(), snapshot.ByOne))
			stays := one
			select {
			case <-one.ended:
				one.refused("is to stay alone")
				stays = two
			case <-two.ended:
				two.refused("is to stay alone")
			case <-w.context().Done():
				t.Fatal("both go on")
			}
			w.produce(20, 2)
			w.settled()
			w.eachOnce(one, two)
			if err := stays.stop(); err != nil {
				t.Errorf("the other ends with %v", err)
			}
		})
	}
}

// A member that stays alone does not trim the journal while another one is in the group, under whatever name, and while
// nobody can tell. Of two names that stay alone the one that started later ends; of one name the sessions tell who ends.
func TestTrimsOnlyAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	m := w.start(named("m"), sessions(1), rarely, w.use(w.dir, snapshot.ByOne))
	w.joined(1)
	later, earlier := balance.NewIncarnation(time.Now().Add(time.Hour), true), balance.NewIncarnation(time.UnixMilli(1), true)
	for who, c := range map[string]struct {
		called  string
		of      balance.Incarnation
		why     string
		ends    bool
		unknown bool
	}{
		"the later one":          {"other", later, "is to stay alone", true, false},
		"the earlier one":        {"other", earlier, "beside this one", false, false},
		"the later of one name":  {"m", later, "beside this one", false, false},
		"the former of one name": {"m", earlier, "beside this one", false, false},
		"the one itself":         {"m", m.incarnation, "", false, false},
		"it may be another":      {"m", m.incarnation, "", false, true},
	} {
		if c.unknown {
			w.sharesOut("m-s0")
		}
		p := &process{reached: m.group.Load(), kept: &kept{incarnation: c.of}, name: &name{member: c.called}}
		var end error
		alone, err := p.aloneOr(func(err error) { end = err })(w.context())
		if (err == nil) != (c.why == "") || alone != (c.why == "" && !c.unknown) || err != nil && !strings.Contains(err.Error(), c.why) ||
			errors.Is(end, balance.ErrSecond) != c.ends {
			t.Errorf("%s: alone %v, %v, ended by %v", who, alone, err, end)
		}
	}
}

// sharesOut has Kafka answer once as it does of a group that shares out partitions, and does not show what members told.
func (w *world) sharesOut(instance string) {
	w.cluster.ControlKey(kmsg.DescribeGroups.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		group := kmsg.NewDescribeGroupsResponseGroup()
		group.Group, group.State, group.ProtocolType = w.setup.Params.Group, "PreparingRebalance", "consumer"
		one := kmsg.NewDescribeGroupsResponseGroupMember()
		one.MemberID, one.InstanceID = instance+"-id", &instance
		group.Members = append(group.Members, one)
		resp := req.ResponseKind().(*kmsg.DescribeGroupsResponse)
		resp.Groups = append(resp.Groups, group)
		return resp, nil, true
	})
}

// A member that fills a window is not in its group, so that nobody can tell whether it is alone: it does not trim. What it
// says where another one is in the group is about the journal, for the snapshot is taken.
func TestTrimsOnlyWhereItIsKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	said := w.logged()
	m := w.start(named("m"), sessions(1), rarely, w.use(w.dir, snapshot.ByOne))
	k := m.trimmer()
	k.Alone = nil
	w.snapshotBy(k, 1)
	w.snapshotBy(k, 2)
	w.snapshotBy(k, 3)
	k.Alone = func(context.Context) (bool, error) { return false, errors.New("another one") }
	w.snapshotBy(k, 4)
	if start := w.journalStart(); start != 0 || !said.has("the journal is not trimmed: the stream goes on, and the snapshot is taken") ||
		said.has("snapshot is not taken") {
		t.Errorf("the journal begins at %d, want 0, and why it is not trimmed", start)
	}
}
