package consumer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// supervised is a member that is started again whenever it ends, as a supervisor of processes would.
type supervised struct {
	w       *world
	change  []func(*Setup)
	current *member
	stop    func()
}

func (w *world) supervise(change ...func(*Setup)) *supervised {
	w.t.Helper()
	s := &supervised{w: w, change: change}
	s.begin()
	return s
}

func (s *supervised) begin() {
	s.w.t.Helper()
	ctx, cancel := context.WithCancel(s.w.context())
	first, done := s.w.launch(s.change...), make(chan struct{})
	go func() {
		defer close(done)
		for m := first; ; m = s.w.launch(s.change...) {
			s.current = m
			select {
			case <-m.ended:
				s.w.t.Logf("a member ended: %v", m.err)
			case <-ctx.Done():
				m.cancel()
				<-m.ended
				return
			}
			if pause(ctx, 50*time.Millisecond) != nil {
				return
			}
		}
	}()
	s.stop = func() {
		cancel()
		<-done
	}
	s.w.t.Cleanup(s.stop)
}

// How a request is brought about.
type provoke func(w *world, s *supervised)

func bySending(*world, *supervised)        {}
func byRevocation(w *world, _ *supervised) { w.visit() }
func byRestart(w *world, s *supervised) {
	s.stop()
	s.begin()
	w.produce(10, 5)
	w.settled()
}

func bySettingOffsets(w *world, s *supervised) {
	s.stop()
	w.left()
	w.setOffsets(func(_ int32, at int64) int64 { return at })
	s.begin()
}

// left waits until nobody is in the group.
func (w *world) left() {
	w.t.Helper()
	if _, err := w.cluster.WaitGroupInfo(w.context(), w.setup.Params.Group, func(g *kfake.GroupInfo) bool {
		return g == nil || len(g.Members) == 0
	}); err != nil {
		w.t.Errorf("somebody stays in the group: %v", err)
	}
}

// visit lets another member join and leave.
func (w *world) visit() {
	w.t.Helper()
	m := w.start(named("visitor"), func(s *Setup) { s.Params.Sessions = 1 })
	ctx, cancel := context.WithTimeout(w.context(), 15*time.Second)
	defer cancel()
	if _, err := w.cluster.WaitGroupInfo(ctx, w.setup.Params.Group, func(g *kfake.GroupInfo) bool {
		if g == nil || g.State != "Stable" {
			return false
		}
		for _, m := range g.Members {
			if m.InstanceID != nil && *m.InstanceID == "visitor-s0" && m.NumAssigned() > 0 {
				return true
			}
		}
		return false
	}); err != nil {
		w.t.Errorf("the visitor got no partitions: %v", err)
	}
	if err := m.stop(); err != nil {
		w.t.Errorf("visitor: %v", err)
	}
}

// setOffsets commits offsets as a person does with Kafka's tools: while nobody is in the group, and without metadata.
func (w *world) setOffsets(to func(partition int32, committed int64) int64) {
	w.t.Helper()
	admin := kadm.NewClient(w.client())
	committed, err := admin.FetchOffsets(w.context(), w.setup.Params.Group)
	if err != nil {
		w.t.Fatal(err)
	}
	var offsets kadm.Offsets
	committed.Each(func(o kadm.OffsetResponse) {
		offsets.AddOffset(o.Topic, o.Partition, to(o.Partition, o.At), -1)
	})
	if err := admin.CommitAllOffsets(w.context(), w.setup.Params.Group, offsets); err != nil {
		w.t.Fatal(err)
	}
}

// Every request that the service relies on fails in every way that matters, and what comes out is right nevertheless.
func TestFaults(t *testing.T) {
	t.Parallel()
	coordinator := []*kerr.Error{kerr.NotCoordinator, kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.UnknownServerError}
	known := append([]*kerr.Error{kerr.UnknownMemberID, kerr.FencedInstanceID}, coordinator...)
	member := append([]*kerr.Error{kerr.IllegalGeneration, kerr.RebalanceInProgress}, known...)
	producer := []*kerr.Error{
		kerr.InvalidProducerEpoch, kerr.ProducerFenced, kerr.InvalidProducerIDMapping, kerr.InvalidTxnState, kerr.TransactionAbortable,
		kerr.ConcurrentTransactions,
	}
	leader := []*kerr.Error{kerr.NotLeaderForPartition, kerr.KafkaStorageError, kerr.UnknownTopicOrPartition, kerr.UnknownServerError}
	produce := append([]*kerr.Error{kerr.RequestTimedOut, kerr.NotEnoughReplicasAfterAppend, kerr.NotEnoughReplicas}, leader...)
	const journal, unique = "unecho.journal", "news.unique"
	for _, c := range []struct {
		name  string
		fault kfake.Fault
		errs  []*kerr.Error
		by    provoke
	}{
		{"append", kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: journal}, append(produce, kerr.OutOfOrderSequenceNumber, kerr.InvalidProducerEpoch), bySending},
		{"forward", kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: unique}, append(produce, producer...), bySending},
		{"commit of offsets", kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}}, append(append(member, producer...), kerr.RequestTimedOut), bySending},
		{"end of transaction", kfake.Fault{Keys: []kmsg.Key{kmsg.EndTxn}}, append(coordinator, producer...), bySending},
		{"producer id", kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}}, append(coordinator, producer...), byRestart},
		{"stable fetch", kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}}, append(coordinator, kerr.UnstableOffsetCommit, kerr.UnknownTopicOrPartition), byRevocation},
		{"commit of an epoch", kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}}, append(member, kerr.RequestTimedOut), bySettingOffsets},
		{"fetch of the source", kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "news"}, append(leader, kerr.OffsetOutOfRange, kerr.UnknownTopicID), bySending},
		{"fetch of the journal", kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: journal}, append(leader, kerr.OffsetOutOfRange, kerr.UnknownTopicID), bySending},
		{"join", kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}}, append(known, kerr.GroupMaxSizeReached), byRevocation},
		{"sync", kfake.Fault{Keys: []kmsg.Key{kmsg.SyncGroup}}, member, byRevocation},
		{"heartbeat", kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}}, member, bySending},
		{"find coordinator", kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}}, coordinator, byRestart},
		{"list offsets", kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: journal}, leader, byRestart},
		{"metadata", kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: "news"}, []*kerr.Error{kerr.LeaderNotAvailable, kerr.UnknownServerError}, byRestart},
		{"leave", kfake.Fault{Keys: []kmsg.Key{kmsg.LeaveGroup}}, append(coordinator, kerr.UnknownMemberID), byRestart},
		{"open transactions", kfake.Fault{Keys: []kmsg.Key{kmsg.ListTransactions, kmsg.DescribeGroups}}, coordinator, byRevocation},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tryFaults(newWorld(t, 4), c.fault, c.errs, c.by)
		})
	}
}

// Before Kafka 4 a client asks for each partition to be added to the transaction.
func TestFaultsOfOldTransactions(t *testing.T) {
	t.Parallel()
	errs := []*kerr.Error{
		kerr.NotCoordinator, kerr.CoordinatorLoadInProgress, kerr.ConcurrentTransactions, kerr.InvalidProducerEpoch, kerr.ProducerFenced,
		kerr.InvalidProducerIDMapping, kerr.InvalidTxnState, kerr.UnknownServerError,
	}
	for _, key := range []kmsg.Key{kmsg.AddPartitionsToTxn, kmsg.AddOffsetsToTxn, kmsg.EndTxn, kmsg.TxnOffsetCommit} {
		t.Run(key.Name(), func(t *testing.T) {
			t.Parallel()
			tryFaults(newWorld(t, 4, kfake.MaxVersions(kversion.V3_5_0())), kfake.Fault{Keys: []kmsg.Key{key}}, errs, bySending)
		})
	}
}

// ofMember matches requests of the member under test: not those of visitors, nor of the test.
func ofMember(req kmsg.Request) bool {
	var instance *string
	switch req := req.(type) {
	case *kmsg.JoinGroupRequest:
		instance = req.InstanceID
	case *kmsg.SyncGroupRequest:
		instance = req.InstanceID
	case *kmsg.HeartbeatRequest:
		instance = req.InstanceID
	case *kmsg.OffsetCommitRequest:
		instance = req.InstanceID
	case *kmsg.LeaveGroupRequest:
		instance = req.Members[0].InstanceID
	default:
		return true
	}
	return instance != nil && strings.HasPrefix(*instance, "m-")
}

func tryFaults(w *world, fault kfake.Fault, errs []*kerr.Error, by provoke) {
	s := w.supervise(named("m"))
	w.produce(20, 6)
	w.settled()
	fault.When = ofMember
	for i, err := range errs {
		fault.Err, fault.Count = err, 2
		began := time.Now()
		handle := w.cluster.Fault(fault)
		w.produce(30, uint64(7+i))
		by(w, s)
		hit, cancel := context.WithTimeout(w.context(), 5*time.Second)
		if handle.Wait(hit, 1) != nil {
			w.t.Errorf("%s never happened", err.Message)
		}
		cancel()
		w.settled()
		handle.Remove()
		w.t.Logf("%-35s %4d ms", err.Message, time.Since(began).Milliseconds())
	}
	s.stop()
	if err := s.current.err; err != nil && !errors.Is(err, context.Canceled) {
		w.t.Logf("at the end: %v", err)
	}
	if report := w.audit(); !report.OK() || report.Unique+report.Duplicate != w.total {
		w.t.Fatalf("%d documents sent, %s", w.total, report.String())
	}
}
