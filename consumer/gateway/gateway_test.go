package gateway

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// fakeGroup knows what it is told.
type fakeGroup struct {
	known     map[entry.Request]index.Answered
	next, end int64
	commits   Commits
	err       error
	asked     int // how often the replica was
}

func (f *fakeGroup) Answered(of []entry.Request) (known []index.Answered, next int64, err error) {
	f.asked++
	for _, r := range of {
		known = append(known, f.known[r])
	}
	return known, f.next, f.err
}

func (f *fakeGroup) Committed(context.Context) (Commits, error) { return f.commits, f.err }
func (f *fakeGroup) NotForwarding() NotForwarding               { return NotForwarding{} }
func (f *fakeGroup) JournalEnd(context.Context) (int64, error)  { return f.end, f.err }
func (f *fakeGroup) at(offset int64, epoch uint32, ours bool, owed int64) *fakeGroup {
	f.commits = Commits{entry.Name("news", 0): protocol.Committed{Offset: offset, Epoch: epoch, Ours: ours, Owed: owed}}
	return f
}

// A verdict is told when it is committed in the epoch that the replica knows, and not before.
func TestLook(t *testing.T) {
	t.Parallel()
	one := entry.Request{1}
	judged := func(committed bool, v index.Verdict) map[entry.Request]index.Answered {
		v.Offset = 5
		return map[entry.Request]index.Answered{one: {Request: one, Topic: "news", Epoch: 2, Committed: committed, Verdict: v}}
	}
	gone := judged(false, index.Verdict{})
	of := gone[one]
	of.Gone = true
	gone[one] = of
	unique, copied := index.Verdict{}, index.Verdict{Match: index.Match{Method: compare.Jaccard, Offset: 1}}
	rejected := signing.Refused{Rejection: &document.Rejection{Reason: sink.MissingField}}
	condition := signing.Refused{Unchecked: sink.ByCondition}
	for name, c := range map[string]struct {
		group *fakeGroup
		sent  sending
		want  string
	}{
		"nothing is committed":      {(&fakeGroup{known: judged(false, unique)}).at(5, 2, true, 0), sending{request: one}, ""},
		"committed":                 {(&fakeGroup{known: judged(false, unique)}).at(6, 2, true, 0), sending{request: one}, "unique"},
		"a copy":                    {(&fakeGroup{known: judged(false, copied)}).at(6, 2, true, 0), sending{request: one}, "duplicate"},
		"set by a person":           {(&fakeGroup{known: judged(false, unique)}).at(6, 2, false, 0), sending{request: one}, ""},
		"of an epoch before":        {(&fakeGroup{known: judged(false, unique)}).at(6, 1, true, 0), sending{request: one}, ""},
		"known to the journal":      {(&fakeGroup{known: judged(true, unique)}).at(6, 3, true, 0), sending{request: one}, "unique"},
		"of a topic made again":     {(&fakeGroup{known: gone}).at(6, 2, true, 0), sending{request: one}, "unknown"},
		"rejected, not committed":   {(&fakeGroup{}).at(5, 2, true, 0), sending{refused: rejected}, ""},
		"rejected":                  {(&fakeGroup{}).at(6, 2, true, 0), sending{refused: rejected}, "rejected"},
		"unchecked":                 {(&fakeGroup{}).at(6, 2, true, 0), sending{refused: condition}, "unchecked"},
		"passed on":                 {(&fakeGroup{}).at(9, 2, true, 4), sending{request: one}, "unchecked"},
		"unchecked in an outage":    {(&fakeGroup{}).at(9, 2, true, 4), sending{refused: condition}, "unchecked"},
		"rejected in an outage":     {(&fakeGroup{}).at(9, 2, true, 4), sending{refused: rejected}, "rejected"},
		"the replica is behind":     {(&fakeGroup{next: 7, end: 8}).at(6, 2, true, 0), sending{request: one}, ""},
		"the replica knows nothing": {(&fakeGroup{next: 8, end: 8}).at(6, 2, true, 0), sending{request: one}, "unknown"},
		"Kafka is away":             {&fakeGroup{err: errors.New("away")}, sending{request: one}, ""},
	} {
		c.sent.Topic, c.sent.Offset = "news", 5
		all := []sending{c.sent}
		g := &Gateway{Setup: Setup{Group: c.group}, commits: commits{ask: c.group.Committed}}
		done := g.look(t.Context(), all)
		for range 3 {
			done = g.look(t.Context(), all)
		}
		if all[0].Verdict != c.want || done != (c.want != "") || (all[0].Match != nil) != (c.want == "duplicate") ||
			(all[0].Unchecked != "") != (c.want == Unchecked) || c.sent.refused.Unchecked != "" && all[0].Unchecked != sink.ByCondition {
			t.Errorf("%s: %q %s, done %v, want %q", name, all[0].Verdict, all[0].Unchecked, done, c.want)
		}
	}
}

// The replica is asked for nothing while nothing is committed that somebody waits for.
func TestLookAsksSeldom(t *testing.T) {
	t.Parallel()
	f := (&fakeGroup{}).at(5, 2, true, 0)
	g := &Gateway{Setup: Setup{Group: f}, commits: commits{ask: f.Committed}}
	s := sending{request: entry.Request{1}}
	s.Topic, s.Offset = "news", 5
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	g.await(ctx, []sending{s}, time.Minute)
	if f.asked > 0 {
		t.Errorf("it was asked %d times", f.asked)
	}
}

// All who wait at the same time share a question; who comes later asks anew.
func TestCommitsAreShared(t *testing.T) {
	t.Parallel()
	asked, begun, release := 0, make(chan struct{}, 2), make(chan struct{})
	c := &commits{ask: func(context.Context) (Commits, error) {
		asked++
		begun <- struct{}{}
		<-release
		return Commits{}, nil
	}}
	before, done := time.Now(), make(chan error, 2)
	wait := func() {
		_, err := c.since(t.Context(), before)
		done <- err
	}
	go wait()
	<-begun
	go wait()
	close(release)
	if err := errors.Join(<-done, <-done); err != nil || asked != 1 {
		t.Errorf("%d questions: %v", asked, err)
	}
	if _, err := c.since(t.Context(), time.Now()); err != nil || asked != 2 {
		t.Errorf("%d questions for who came later: %v", asked, err)
	}
}

func TestFailed(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]error{
		nil: nil, kgo.ErrMaxBuffered: ErrBusy, kerr.MessageTooLarge: ErrTooLarge, kerr.TopicAuthorizationFailed: ErrRefused,
		kgo.ErrRecordTimeout: ErrAway, context.DeadlineExceeded: ErrAway, kerr.NotLeaderForPartition: ErrAway,
	} {
		if got := failed(err); !errors.Is(got, want) {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}
