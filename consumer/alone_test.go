package consumer

import (
	"errors"
	"strings"
	"testing"
	"time"

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

// refused waits until a member has ended, and checks that it names what lifts that.
func (m *running) refused(why string) {
	m.world.t.Helper()
	var stop *StopError
	if err := m.wait(); !errors.As(err, &stop) || !strings.Contains(err.Error(), why) ||
		!strings.Contains(err.Error(), "snapshot export, import") {
		m.world.t.Errorf("it ends with %v; want %q, and what to do", err, why)
	}
}

// A member that stays alone has trimmed the journal. A second one is refused, whatever its configuration, and the first
// goes on. Behind the trimmed journal nobody begins with an empty memory. On a store that both see, with the snapshots
// of the first, two go on: what it remembered is found by both.
func TestFromOneMemberToTwo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	alone := w.use(w.dir, snapshot.ByOne)
	first := w.start(named("first"), sessions(1), rarely, alone)
	k := member.NewKeeper(first.follower(), first.setup.Store, snapshot.Params{For: snapshot.ByOne}, "first")
	w.snapshotBy(k, 1)
	w.snapshotBy(k, 2)
	if w.cluster.PartitionInfo("unecho.journal", 0).LogStartOffset == 0 {
		t.Fatal("the journal is not trimmed")
	}
	elsewhere := t.TempDir()
	for _, by := range []snapshot.Use{snapshot.ByOne, snapshot.ByMember, snapshot.ByAll} {
		w.launch(named("second"), sessions(1), rarely, w.use(elsewhere, by)).refused("is to stay alone")
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

// Two processes without a name, with a directory each, would have one name in the group: the second is refused, and does
// not take the place of the first.
func TestTwoThatStayAloneHaveOneName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.start(sessions(1), rarely, w.use(w.dir, snapshot.ByOne))
	w.produce(20, 1)
	w.settled()
	w.launch(sessions(1), rarely, w.use(t.TempDir(), snapshot.ByOne)).refused("is to stay alone")
	w.produce(20, 2)
	w.settled()
	w.audited()
}

// Two that stay alone start at the same moment, so that neither need see the other at its start. One goes on.
func TestTwoThatStayAloneStartAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(20, 1)
	one, two := w.launch(named("one"), sessions(1), w.use(w.dir, snapshot.ByOne)), w.launch(named("two"), sessions(1), w.use(t.TempDir(), snapshot.ByOne))
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
}

// A member that stays alone does not trim the journal while another one is in the group. Of two that stay alone the one
// that started later ends.
func TestTrimsOnlyAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	m := w.start(named("m"), sessions(1), rarely, w.use(w.dir, snapshot.ByOne))
	w.joined(1)
	for who, c := range map[string]struct {
		called  string
		started time.Time
		why     string
		ends    bool
	}{
		"the later one":   {"other", time.Now().Add(time.Hour), "is to stay alone", true},
		"the earlier one": {"other", time.UnixMilli(1), "beside this one", false},
		"the one itself":  {"m", time.Now(), "", false},
	} {
		p := &process{
			reached: m.group.Load(), kept: &kept{incarnation: balance.NewIncarnation(c.started, true)}, name: &name{member: c.called},
		}
		var end error
		err := p.aloneOr(func(err error) { end = err })(w.context())
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) || errors.Is(end, balance.ErrSecond) != c.ends {
			t.Errorf("%s: %v, ended by %v", who, err, end)
		}
	}
}
