package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/pipeline"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/index"
)

// batch is the one at hand.
type batch struct {
	*pipeline.Batch
	needed time.Time // since when it waits for the journal; zero: it does not yet
	begun  time.Time // its transaction; zero: it has none
	why    error     // the session is built anew, where the batch wants that
}

// loop does what a member wants, as long as one client lives.
type loop struct {
	*Setup
	slot     string
	mail     *mail.Box
	standing *standing.Session
	outage   *outage
	client   *client
	pipeline *pipeline.Pipeline
	intake   *protocol.Intake
	member   *protocol.Member

	batch     *batch      // at hand; nil: there is none
	recorder  *recorder   // nil: nothing is recorded
	committed bool        // some batch was
	moved     *assignment // the source has another document there than was judged; nil: that is not why the session is rebuilt
}

// run ends between two batches when it is time to drain.
func (l *loop) run(ctx, drain context.Context) (err error) {
	for err == nil {
		step := l.next()
		if step.Batch == nil && step.Want != protocol.WantUnjournaled {
			l.endRecording()
		}
		if step.Batch == nil && drain.Err() != nil {
			break
		}
		err = l.do(ctx, drain, &step)
	}
	l.endRecording()
	if err != nil && l.batch != nil {
		l.batch.Took() // also where the outcome is unknown: what was slowest often ends so
	}
	return err
}

func (l *loop) next() (step protocol.Step) {
	l.deliver()
	l.look(func(j protocol.Journal) { step = l.member.Next(time.Now(), j) })
	return step
}

// look looks at the replica, if the member needs that: the follower waits meanwhile.
func (l *loop) look(do func(protocol.Journal)) {
	away := l.outage.lasts()
	if !l.member.Looks() {
		do(protocol.Journal{Away: away})
		return
	}
	l.Replica.Look(func(r *index.Replica) { do(protocol.Journal{Replica: r, Away: away}) })
}

// deliver tells the member what came and went.
func (l *loop) deliver() {
	for _, letter := range l.mail.Receive() {
		l.member.Give(letter.Given...)
		l.member.Take(letter.Lost...)
		l.client.note(&letter)
	}
}

func (l *loop) do(ctx, drain context.Context, step *protocol.Step) error {
	switch step.Want {
	case protocol.WantUnjournaled:
		return l.record(ctx, drain, step)
	case protocol.WantRecords:
		return l.poll(ctx, drain, step)
	case protocol.WantEnds:
		return l.skip(ctx, step)
	case protocol.WantAnnouncements:
		return l.announce(ctx, step.Of)
	case protocol.WantSigned:
		return l.sign(ctx)
	case protocol.WantEntries, protocol.WantForgets, protocol.WantForget:
		return l.reaching(ctx, l.batch.Append)
	case protocol.WantReached, protocol.WantForgotten:
		return l.reaching(ctx, l.batch.Await)
	case protocol.WantTimeCheck:
		l.Clock.Check(step.Batch)
	case protocol.WantOutputs:
		return l.forward(ctx)
	case protocol.WantCommit:
		l.commit(ctx)
	case protocol.WantOffsets:
		return l.undecided(ctx)
	case protocol.WantAbort:
		return l.abort(ctx, step.Batch)
	case protocol.Done:
		l.rest()
	case protocol.Rebuild:
		return l.rebuild(step)
	case protocol.GiveUp:
		return l.batch.Hopeless()
	case protocol.WantVerdicts: // the member takes them by itself
	}
	return nil
}

// poll polls the partitions that are worth it, and begins a batch with what comes.
func (l *loop) poll(ctx, drain context.Context, step *protocol.Step) error {
	if err := l.client.ready(ctx); err != nil {
		return err
	}
	if l.member.Mode().Finite() {
		l.client.choose(l.member.Assigned(), step.Of)
	}
	most := step.Records
	if l.limited() { // a large batch would wait for long, and be lost in a kill
		most = min(most, l.Limit.Burst())
	}
	polling := time.Now()
	fetches, waited := l.client.poll(drain, step.Wait, most)
	l.deliver() // what came meanwhile may have brought some of these
	if err := l.client.troubled(fetches, waited, l.member); err != nil {
		return err
	}
	if fetches.NumRecords() < most { // a full poll may leave a message to the next one
		if err := l.client.unpacker.LeftAlone(polling); err != nil {
			return err
		}
	}
	b, fetch := l.pipeline.Sort(fetches, func(name protocol.PartitionName) (*assignment, int64) {
		a := l.member.Find(name)
		if a == nil {
			return nil, 0
		}
		return a, a.Base
	}, l.reach())
	fetch.Waited = waited
	l.fetched(b, fetch, false)
	return nil
}

// record polls what is owed. No document of these partitions is judged before it is recorded.
func (l *loop) record(ctx, drain context.Context, step *protocol.Step) (err error) {
	if step.Rewinds || !l.recorder.reads(step.Of) {
		l.endRecording()
		if l.recorder, err = newRecorder(ctx, l.Setup, l.slot, step.Of); err != nil {
			return err
		}
	}
	r := l.recorder
	if r == nil {
		l.member.Later(time.Now())
		return nil
	}
	fetches, err := r.poll(drain, step)
	if err != nil {
		return err
	}
	l.deliver()
	if fetches.NumRecords() == 0 {
		if left := r.skipEmpty(ctx); left {
			l.member.Later(time.Now())
		}
		return nil
	}
	r.owed = unjournaled(r.asked)
	b, fetch := r.pipeline.Sort(fetches, func(name protocol.PartitionName) (*assignment, int64) {
		a := r.of[name]
		if a == nil || !a.HasUnjournaled() || l.member.Find(name) != a {
			return nil, 0
		}
		return a, a.Journaled()
	}, func(a *assignment) int64 { return a.Base })
	l.fetched(b, fetch, true)
	if l.batch != nil {
		r.lastRecords = time.Now()
	}
	return nil
}

// endRecording closes the recorder, if there is one.
func (l *loop) endRecording() {
	if l.recorder != nil {
		l.recorder.client.Close()
	}
	l.recorder = nil
}

// reach returns the offset up to which documents of an assignment may be forwarded now.
func (l *loop) reach() func(*assignment) int64 {
	if !l.member.Mode().Finite() {
		return func(*assignment) int64 { return math.MaxInt64 }
	}
	reach := map[*assignment]int64{}
	l.look(func(j protocol.Journal) {
		for _, a := range l.member.Assigned() {
			reach[a] = a.Mode.Reach(a, j.Replica)
		}
	})
	return func(a *assignment) int64 { return reach[a] }
}

// fetched tells the member what a poll brought. The memory of what begins no batch is let go.
func (l *loop) fetched(b *pipeline.Batch, fetch protocol.Fetch, recording bool) {
	l.look(func(j protocol.Journal) { b.Batch = l.member.Fetched(time.Now(), j, fetch, recording) })
	switch {
	case b.Batch != nil:
		l.batch = &batch{Batch: b}
	case fetch.Records > 0:
		b.Rest()
	}
}

// sign signs the documents of the batch, once their rate allows it.
func (l *loop) sign(ctx context.Context) error {
	b := l.batch
	if l.limited() && l.recorder == nil {
		err := l.mail.WhileHeld(ctx, func(ctx context.Context) error { return l.Limit.WaitN(ctx, b.Size) })
		if err != nil {
			return fmt.Errorf("wait for the rate: %w", err)
		}
	}
	err := l.mail.WhileHeld(ctx, b.Sign)
	if of := b.New(); err == nil && len(of) > 0 && !l.mail.Revoked() {
		err = l.mail.WhileHeld(ctx, func(ctx context.Context) error { return l.vouch(ctx, of) })
	}
	if err == nil {
		l.member.Signed()
	}
	return err
}

// limited says that batches wait for the rate of the backfill. Where a feeder appends, it waits instead.
func (l *loop) limited() bool { return l.Limit != nil && !l.Mode.Fed() }

// reaching runs a step of a batch that needs the journal. If that is away, the documents are passed on.
func (l *loop) reaching(ctx context.Context, step func(context.Context) error) error {
	b := l.batch
	held := func(ctx context.Context) error { return l.mail.WhileHeld(ctx, step) }
	if !l.member.MayBypass() {
		return held(ctx)
	}
	if b.needed.IsZero() { // what was done before, such as signing, does not need the journal
		b.needed = time.Now()
	}
	away, err := l.outage.inTime(ctx, b.needed, held)
	if err == nil && away && !l.mail.Revoked() {
		l.member.Bypass()
	}
	return err
}

// rest lets go of the batch that is over.
func (l *loop) rest() {
	l.batch.Took()
	l.recorder.counts(l.batch.Batch)
	l.batch.Rest()
	l.member.Rested()
	l.batch = nil
}

// rebuild returns the error by which the session is built anew, or its process ends.
func (l *loop) rebuild(step *protocol.Step) error {
	switch {
	case step.Why == nil:
		return l.batch.why
	case errors.Is(step.Why, protocol.ErrUnreadable):
		return l.Log.Unreadable()
	case errors.Is(step.Why, protocol.ErrRouting):
		if _, _, err := l.Replica.Duty(); err != nil {
			return err
		}
	}
	l.moved = step.Moved
	return step.Why
}

// announce tells the journal the bases that it does not know. In an outage that is done later.
func (l *loop) announce(ctx context.Context, of []*assignment) error {
	var values [][]byte
	for _, a := range of {
		values = append(values, journal.Append(nil, a.Announcement(l.Log.Header())))
	}
	if len(values) == 0 {
		return nil
	}
	away, err := l.outage.inTime(ctx, time.Now(), func(ctx context.Context) error {
		_, err := l.Log.Put(ctx, values...)
		return err
	})
	if err == nil {
		l.member.Announced(of, !away)
	}
	return err
}

// skip commits the ends of ranges of which nothing is left. It commits as what the session was before it looks whether
// partitions were taken away: after a loss the group refuses that.
func (l *loop) skip(ctx context.Context, step *protocol.Step) error {
	var passed []*assignment
	var ends []cluster.Commit
	as := l.client.identity()
	for _, a := range step.Of {
		if l.mail.HasLost(a.Name()) {
			continue
		}
		topics := broker.NewTopics(l.Cluster.Client, l.Logger)
		if topics.Empty(ctx, l.pipeline.Unpacker.Renew(), a.Topic, a.Source.Partition, a.Base, a.Range.To) {
			a.Pending = protocol.Tally{}
			passed, ends = append(passed, a), append(ends, cluster.Commit{TopicPartition: a.TopicPartition, Offset: a.Range.To, Metadata: a.Mode.Metadata(a)})
		}
	}
	if len(passed) > 0 {
		if err := l.Cluster.Commit(ctx, as, ends); err != nil {
			return err
		}
	}
	l.member.Skipped(time.Now(), passed...)
	return nil
}

// MostHeld is how many verdicts the replica of a backfill holds at most, as far as the feeder decides it.
const MostHeld = 100_000
