package consumer

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
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
func (w *world) unstarted(logger zerolog.Logger) (*Service, *lags) {
	w.t.Helper()
	setup := w.setup
	setup.Logger = logger
	s, err := New(setup)
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

// readLag has the member's lags be read.
func (m *running) readLag() {
	m.follower()
	m.lags(m.group.Load()).read(m.world.context())
}

func TestSourceLag(t *testing.T) {
	w := newWorld(t, 3)
	w.setup.Params.Sessions = 1 // two sessions would still be sharing the partitions when all is committed
	s, lags := w.unstarted(zerolog.Nop())
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
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	if got := m.Stats().Partitions; got != 0 {
		t.Errorf("%d partitions are assigned after the end, want 0", got)
	}
	w.produce(40, 2)
	if got := lag(); got != 40 {
		t.Errorf("when nobody works: %d, want 40", got)
	}
	w.open(25)
	if got := lag(); got != 40 {
		t.Errorf("with an open transaction in the source: %d, want the 40 that can be read", got)
	}
}

// open writes n documents in a transaction that is not ended while the test runs.
func (w *world) open(n int) {
	w.t.Helper()
	cl := w.client(kgo.TransactionalID("someone else"), kgo.DefaultProduceTopic("news"))
	if err := cl.BeginTransaction(); err != nil {
		w.t.Fatal(err)
	}
	for range n {
		if err := cl.ProduceSync(w.context(), &kgo.Record{Value: []byte("not yet")}).FirstErr(); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestLagUnknown(t *testing.T) {
	for _, request := range []kmsg.Key{kmsg.OffsetFetch, kmsg.ListOffsets} {
		t.Run(request.Name(), func(t *testing.T) {
			w := newWorld(t, 1)
			var said bytes.Buffer
			s, lags := w.unstarted(zerolog.New(&said))
			lags.read(w.context())
			if got := s.Stats(); got.SourceLag != 0 || got.JournalEnd != 0 {
				t.Fatalf("lag %d, journal's end %d, want 0, 0: %s", got.SourceLag, got.JournalEnd, said.String())
			}
			w.cluster.ControlKey(request.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
				w.cluster.KeepControl()
				return denied(req), nil, true
			})
			for range 2 {
				lags.read(w.context())
				if got := s.Stats(); got.SourceLag != -1 || got.JournalEnd != -1 {
					t.Errorf("lag %d, journal's end %d, want unknown", got.SourceLag, got.JournalEnd)
				}
			}
			if got := strings.Count(said.String(), "lag is unknown"); got != 1 {
				t.Errorf("it was said %d times, want once:\n%s", got, said.String())
			}
		})
	}
}

// TestLagIsReadAgain meets the answers of a new cluster while it creates its topic of offsets.
func TestLagIsReadAgain(t *testing.T) {
	w := newWorld(t, 1)
	var said bytes.Buffer
	s, lags := w.unstarted(zerolog.New(&said))
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.NotCoordinator, Count: 1}) // so that it is looked for
	asked := 0
	w.cluster.ControlKey(kmsg.FindCoordinator.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		asked++
		if asked > 1 {
			return nil, nil, false
		}
		find := req.(*kmsg.FindCoordinatorRequest)
		resp := find.ResponseKind().(*kmsg.FindCoordinatorResponse)
		resp.ErrorCode = kerr.CoordinatorNotAvailable.Code
		for _, k := range find.CoordinatorKeys {
			c := kmsg.NewFindCoordinatorResponseCoordinator()
			c.Key, c.ErrorCode = k, kerr.CoordinatorNotAvailable.Code
			resp.Coordinators = append(resp.Coordinators, c)
		}
		return resp, nil, true
	})
	lags.read(w.context())
	if got := s.Stats().SourceLag; got != 0 || strings.Contains(said.String(), "lag is unknown") {
		t.Errorf("lag %d, said %s", got, said.String())
	}
	if asked < 2 {
		t.Errorf("the coordinator was asked for %d times", asked)
	}
}

// denied answers that the request is not allowed. No client repeats it then.
func denied(req kmsg.Request) kmsg.Response {
	code := kerr.TopicAuthorizationFailed.Code
	switch req := req.(type) {
	case *kmsg.OffsetFetchRequest:
		resp := req.ResponseKind().(*kmsg.OffsetFetchResponse)
		for _, g := range req.Groups {
			group := kmsg.NewOffsetFetchResponseGroup()
			group.Group, group.ErrorCode = g.Group, kerr.GroupAuthorizationFailed.Code
			resp.Groups = append(resp.Groups, group)
		}
		return resp
	case *kmsg.ListOffsetsRequest:
		resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
		for _, t := range req.Topics {
			topic := kmsg.NewListOffsetsResponseTopic()
			topic.Topic = t.Topic
			for _, p := range t.Partitions {
				partition := kmsg.NewListOffsetsResponseTopicPartition()
				partition.Partition, partition.ErrorCode = p.Partition, code
				topic.Partitions = append(topic.Partitions, partition)
			}
			resp.Topics = append(resp.Topics, topic)
		}
		return resp
	}
	return nil
}

func TestLagIsWatched(t *testing.T) {
	w := newWorld(t, 1)
	read := make(chan struct{})
	var once sync.Once
	var joined atomic.Bool // the start looks at the source before that
	w.cluster.ControlKey(kmsg.JoinGroup.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		joined.Store(true)
		return nil, nil, false
	})
	w.cluster.ControlKey(kmsg.ListOffsets.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		if r := req.(*kmsg.ListOffsetsRequest); joined.Load() && r.IsolationLevel == 1 && r.Topics[0].Topic == "news" {
			once.Do(func() { close(read) })
		}
		return nil, nil, false
	})
	m := w.start()
	select {
	case <-read:
	case <-w.context().Done():
		t.Fatal("the running service never read the end of its source")
	}
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
}
