package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// loop does what a member wants, as long as one client lives.
type loop struct {
	*Session
	member   *protocol.Member
	batch    *batch    // at hand; nil: there is none
	recorder *recorder // nil: nothing is recorded
}

func (s *Session) newLoop() *loop {
	return &loop{Session: s, member: protocol.NewMember(s.Mode, s.intake, MostHeld, time.Now())}
}

// run ends between two batches when it is time to drain.
func (l *loop) run(ctx, drain context.Context) (err error) {
	for err == nil {
		step := l.next()
		if step.Batch == nil && step.Want != protocol.WantOwed {
			l.endRecording()
		}
		if step.Batch == nil && drain.Err() != nil {
			break
		}
		err = l.do(ctx, drain, &step)
	}
	l.endRecording()
	if err != nil {
		l.batch.took(l.Counters) // also where the outcome is unknown: what was slowest often ends so
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
	for _, letter := range l.mail.receive() {
		l.member.Give(letter.given...)
		l.member.Take(letter.lost...)
		l.client.note(&letter)
	}
}

func (l *loop) do(ctx, drain context.Context, step *protocol.Step) error {
	switch step.Want {
	case protocol.WantOwed:
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
		return l.reaching(ctx, l.batch.pipeline.append)
	case protocol.WantPass, protocol.WantForgotten:
		return l.reaching(ctx, l.batch.pipeline.await)
	case protocol.WantTimeCheck:
		l.checkTimes(step.Batch)
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
		return l.giveUp()
	case protocol.WantVerdicts: // the member takes them by itself
	}
	return nil
}

// poll polls the partitions that are worth it, and begins a batch with what comes.
func (l *loop) poll(ctx, drain context.Context, step *protocol.Step) error {
	if err := l.client.ready(ctx); err != nil {
		return err
	}
	if l.member.Mode().Bounded() {
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
	if err := l.client.told(fetches, most, polling); err != nil {
		return err
	}
	b, fetch := l.pipeline.sort(fetches, func(name protocol.PartitionName) (*assignment, int64) {
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

// reach returns the offset up to which documents of an assignment may be forwarded now.
func (l *loop) reach() func(*assignment) int64 {
	if !l.member.Mode().Bounded() {
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
func (l *loop) fetched(b *batch, fetch protocol.Fetch, recording bool) {
	l.look(func(j protocol.Journal) { b.Batch = l.member.Fetched(time.Now(), j, fetch, recording) })
	if l.batch = b; b.Batch == nil {
		l.batch = nil
		if fetch.Records > 0 {
			b.pipeline.rest(b.fetches)
		}
	}
}

// sign signs the documents of the batch, once their rate allows it.
func (l *loop) sign(ctx context.Context) error {
	b := l.batch
	if l.limited() && b.pipeline == l.pipeline {
		err := l.mail.whileHeld(ctx, func(ctx context.Context) error { return l.Limit.WaitN(ctx, b.Size) })
		if err != nil {
			return fmt.Errorf("wait for the rate: %w", err)
		}
	}
	err := l.mail.whileHeld(ctx, func(ctx context.Context) error { return b.pipeline.sign(ctx, b) })
	if err == nil {
		l.member.Signed()
		b.signed = time.Now()
	}
	return err
}

// limited says that batches wait for the rate of the backfill. Where a feeder appends, it waits instead.
func (l *loop) limited() bool { return l.Limit != nil && !l.Mode.Fed() }

// reaching runs a step of a batch that needs the journal. If that is away, the documents are passed on.
func (l *loop) reaching(ctx context.Context, step func(context.Context, *batch) error) error {
	b := l.batch
	held := func(ctx context.Context) error {
		return l.mail.whileHeld(ctx, func(ctx context.Context) error { return step(ctx, b) })
	}
	if !l.member.MayPass() {
		return held(ctx)
	}
	if b.needed.IsZero() { // what was done before, such as signing, does not need the journal
		b.needed = time.Now()
	}
	away, err := l.outage.inTime(ctx, b.needed, held)
	if err == nil && away && !l.mail.revoked() {
		l.member.Pass()
	}
	return err
}

// rest lets go of the batch that is over. The session does not need its memory while it waits for the next batch, and
// some of it is large.
func (l *loop) rest() {
	l.batch.took(l.Counters)
	l.recorder.counts(l.batch)
	l.batch.pipeline.rest(l.batch.fetches)
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
		if _, _, err := l.duty(); err != nil {
			return err
		}
	}
	return &rebuildError{because: step.Why, moved: step.Moved}
}

// giveUp ends the process, unless another try may succeed.
func (l *loop) giveUp() error {
	if b := l.batch; !l.withoutTime(b.present, b.cause) {
		return hopeless(b)
	}
	return rebuild("the rejected topic refuses the present time: %w", l.batch.cause)
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

// skip commits the ends of ranges of which nothing is left.
func (l *loop) skip(ctx context.Context, step *protocol.Step) error {
	var passed []*assignment
	var ends []standstill
	for _, a := range step.Of {
		topics := broker.NewTopics(l.Cluster.Client, l.Logger)
		if topics.Barren(ctx, l.pipeline.unpacker.Renew(), a.Topic, a.Source.Partition, a.Base, a.Range.To) {
			a.Pending = protocol.Tally{}
			passed, ends = append(passed, a), append(ends, standstill{a.TopicPartition, a.Range.To, a.Mode.Metadata(a)})
		}
	}
	if len(passed) > 0 {
		if err := l.client.commitPlainly(ctx, ends); err != nil {
			return rebuild("%w", err)
		}
	}
	l.member.Skipped(time.Now(), passed...)
	return nil
}

// MostHeld is how many verdicts the replica of a backfill holds at most, as far as the feeder decides it.
const MostHeld = 100_000
