package consumer

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// many is the number of partitions of a large topic. It is more than one commit takes, so that the rest needs another.
const (
	rest             = 100
	commitPartitions = 1000 // as package session bounds a commit
	many             = commitPartitions + rest
)

// asks notes what a session asks for while it begins partitions: the number of partitions of each commit, and -1 for
// each append to the journal. The commit with the number refuse is refused.
type asks struct {
	mu     sync.Mutex
	all    []int
	begun  int
	refuse int
}

func (a *asks) watch(w *world) {
	w.cluster.ControlKey(int16(kmsg.OffsetCommit), func(req kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		n := 0
		resp := req.ResponseKind().(*kmsg.OffsetCommitResponse)
		for _, t := range req.(*kmsg.OffsetCommitRequest).Topics {
			n += len(t.Partitions)
			answer := kmsg.NewOffsetCommitResponseTopic()
			answer.Topic, answer.TopicID = t.Topic, t.TopicID
			for _, p := range t.Partitions {
				one := kmsg.NewOffsetCommitResponseTopicPartition()
				one.Partition, one.ErrorCode = p.Partition, kerr.RebalanceInProgress.Code
				answer.Partitions = append(answer.Partitions, one)
			}
			resp.Topics = append(resp.Topics, answer)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.all = append(a.all, n)
		a.begun++
		return resp, nil, a.begun == a.refuse
	})
	w.cluster.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.begun > 0 { // the appends before are the journal's settings
			a.all = append(a.all, -1)
		}
		return nil, nil, false
	})
}

func (a *asks) first(n int) []int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]int(nil), a.all[:min(n, len(a.all))]...)
}

// The partitions of a large topic begin together: with a few commits, and after the last of them with a few appends,
// instead of a commit and an append for each partition. A session whose commit is refused appends nothing, not even for
// partitions whose commit was accepted before. Those are resumed.
func TestManyPartitionsBeginTogether(t *testing.T) {
	t.Parallel()
	for refuse, want := range map[int][]int{0: {commitPartitions, rest, -1}, 2: {commitPartitions, rest, rest, -1}} {
		w := newWorld(t, many)
		a := asks{refuse: refuse}
		a.watch(w)
		w.produce(200, 91)
		w.start(named("m"), sessions(1), unhurried)
		w.settled()
		if got := a.first(len(want)); !slices.Equal(got, want) {
			t.Errorf("where commit %d is refused it asks for %v, want %v", refuse, got, want)
		}
		w.audited()
	}
}

// unhurried gives a session more time, because the machine is busy with thousands of partitions.
func unhurried(s *Setup) {
	s.Params.SessionTimeout, s.Snapshot.Every = 30*time.Second, time.Hour // a snapshot begins with an append
}
