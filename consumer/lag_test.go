package consumer

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestLagOf(t *testing.T) {
	listed := func(offsets ...int64) kadm.ListedOffsets {
		l := kadm.ListedOffsets{"news": {}}
		for p, o := range offsets {
			l["news"][int32(p)] = kadm.ListedOffset{Topic: "news", Partition: int32(p), Offset: o}
		}
		return l
	}
	committed := func(offsets ...int64) kadm.OffsetResponses {
		c := kadm.OffsetResponses{}
		for p, o := range offsets {
			c.Add(kadm.OffsetResponse{Offset: kadm.Offset{Topic: "news", Partition: int32(p), At: o}})
		}
		return c
	}
	for _, c := range []struct {
		name         string
		done         kadm.OffsetResponses
		starts, ends kadm.ListedOffsets
		want         int64
	}{
		{"nothing is there", committed(), listed(), listed(), 0},
		{"all is committed", committed(7, 9), listed(0, 0), listed(7, 9), 0},
		{"partitions add up", committed(5, 6), listed(0, 0), listed(7, 9), 5},
		{"never committed: owed from the start", committed(-1), listed(3), listed(7), 4},
		{"no partition in the answer: owed from the start", committed(), listed(3), listed(7), 4},
		{"what retention deleted is not owed", committed(2), listed(6), listed(7), 1},
		{"set beyond the end: nothing is owed, and no other partition's debt is paid", committed(99, 1), listed(0, 0), listed(7, 2), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := lagOf(c.done, c.starts, c.ends).lag; got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

// unstarted returns a service that is connected and takes no part in the group, and what reads its lags.
func (w *world) unstarted() (*Service, *lags) {
	w.t.Helper()
	s, err := New(w.setup)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := s.setup.connect(w.context(), s.reader, s.lookout)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(r.cluster.Client.Close)
	s.group.Store(r)
	return s, s.lags(r)
}

func (m *running) readLag() {
	m.follower()
	m.lags(m.group.Load()).read(m.world.context())
}

func TestSourceLag(t *testing.T) {
	w := newWorld(t, 3)
	w.setup.Params.Sessions = 1 // two sessions would still be sharing the partitions when all is committed
	s, lags := w.unstarted()
	lag := func() int64 {
		lags.read(w.context())
		return s.Stats().SourceLag
	}
	if got := s.Stats(); got.SourceLag != -1 || got.JournalEnd != -1 || got.JournalNext != -1 {
		t.Errorf("before it was read: lag %d, journal %d of %d, want all unknown", got.SourceLag, got.JournalNext,
			got.JournalEnd)
	}
	w.produce(300, 1)
	if got := lag(); got != 300 {
		t.Errorf("before any commit: %d, want 300", got)
	}
	m := w.start()
	w.settled()
	if got := lag(); got != 0 {
		t.Errorf("when all is committed: %d, want 0", got)
	}
	if got := m.Stats().Partitions; got != 3 {
		t.Errorf("%d partitions are assigned, want 3", got)
	}
	w.ended(m)
	if got := m.Stats().Partitions; got != 0 {
		t.Errorf("%d partitions are assigned after the end, want 0", got)
	}
	w.produce(40, 2)
	if got := lag(); got != 40 {
		t.Errorf("when nobody works: %d, want 40", got)
	}
	open := w.documents(25, 3)
	for _, r := range open {
		r.Topic = "news"
	}
	w.begins("someone else", open...)
	if got := lag(); got != 40 {
		t.Errorf("with an open transaction in the source: %d, want the 40 that can be read", got)
	}
}

func TestLagUnknown(t *testing.T) {
	for request, err := range map[kmsg.Key]*kerr.Error{
		kmsg.OffsetFetch: kerr.GroupAuthorizationFailed, kmsg.ListOffsets: kerr.TopicAuthorizationFailed, // no client repeats it
	} {
		t.Run(request.Name(), func(t *testing.T) {
			w := newWorld(t, 1)
			said := w.logged()
			s, lags := w.unstarted()
			lags.read(w.context())
			if got := s.Stats(); got.SourceLag != 0 || got.JournalEnd != 0 {
				t.Fatalf("lag %d, journal's end %d, want 0, 0: %s", got.SourceLag, got.JournalEnd, said.text.String())
			}
			w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{request}, Err: err, Count: -1})
			for range 2 {
				lags.read(w.context())
				if got := s.Stats(); got.SourceLag != -1 || got.JournalEnd != -1 || !errors.Is(got.LagErr, err) {
					t.Errorf("lag %d, journal's end %d, because %v, want unknown because %v", got.SourceLag, got.JournalEnd, got.LagErr, err)
				}
			}
			if got := said.count("lag is unknown"); got != 1 {
				t.Errorf("it was said %d times, want once:\n%s", got, said.text.String())
			}
		})
	}
}

// TestLagIsReadAgain meets the answers of a new cluster while it creates its topic of offsets.
func TestLagIsReadAgain(t *testing.T) {
	w := newWorld(t, 1)
	said := w.logged()
	s, lags := w.unstarted()
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.NotCoordinator, Count: 1}) // so that it is looked for
	away := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable, Count: 1})
	lags.read(w.context())
	if got := s.Stats().SourceLag; got != 0 || said.has("lag is unknown") {
		t.Errorf("lag %d, said %s", got, said.text.String())
	}
	if away.Hits() == 0 {
		t.Error("nobody asked for the coordinator")
	}
}
