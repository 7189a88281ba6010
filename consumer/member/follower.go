package member

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
)

// Follower owns the replica. One goroutine applies the journal to it; the others look, and wait for it to pass an
// offset.
type Follower struct {
	*Setup
	place journal.Begin // where the journal is followed from

	mu          sync.Mutex
	replica     *index.Replica
	disputes    disputes
	claimants   claimants
	leaderEpoch int32 // of the last applied record
	appendTime  int64 // of the last record that had one, ms

	confirmedTime int64 // of the checkpoint that confirmed the replica last, ms
	waiting       waiting
	within        bool // a record is applied in part, while files are read: no step of a search may be taken

	routed bool           // the routing in force was ours: from then on another one ends the process
	mark   uint64         // behind which the replica is captured
	taken  chan<- capture // and where to; nil: nobody asks

	// reading is how the replica stood a moment ago. A caller that needs only numbers takes them from here, and does not
	// wait for a record that is being applied.
	reading atomic.Pointer[Reading]
	read    time.Time // when it was taken

	admitted bool        // the journal was found to be this group's; of the goroutine that catches up
	caughtUp atomic.Bool // the replica has passed an end of the journal

	old *old // its old documents

	asks  chan func()   // lookups that wait
	ended chan struct{} // closed when the replica's time is over

	seeks     chan struct{}  // one for each search for a document that goes on
	steps     chan struct{}  // one while a search takes a step, or rests after it
	comparers chan *comparer // those at rest
}

// newFollower begins with the replica as restored; open is the dispute that made the restore necessary, if there is
// one.
func newFollower(setup *Setup, replica *index.Replica, place journal.Begin, open *Dispute) *Follower {
	f := &Follower{
		Setup: setup, place: place, replica: replica, leaderEpoch: place.LeaderEpoch,
		disputes: disputes{member: setup.Name, began: replica.Next(), open: open, guilty: map[string]int64{}},
		asks:     make(chan func(), maxLookups), ended: make(chan struct{}),
		seeks: make(chan struct{}, seekAtOnce), steps: make(chan struct{}, 1), comparers: make(chan *comparer, comparersKept),
	}
	f.waiting = waiting{mu: &f.mu, advanced: make(chan struct{}), ended: f.ended}
	f.old = newOld(f)
	f.publish()
	return f
}

// Reading is how a replica stood a moment ago.
type Reading struct {
	Index      index.Stats
	Params     index.Params // in force
	Next       int64        // journal offset that is applied next
	AppendTime int64        // of the record applied last, ms
	// ConfirmedTime is the append time of the checkpoint that confirmed the replica last, ms; 0 when none has.
	ConfirmedTime int64
	Settings      []byte // canonical text of those in force; nil before the first. Not to be changed
}

// Reading returns the last one.
func (f *Follower) Reading() Reading { return *f.reading.Load() }

// readingEvery is how old a reading becomes while one record after another is applied.
const readingEvery = 100 * time.Millisecond

// publish takes a reading. The caller holds mu, or is alone.
func (f *Follower) publish() {
	f.reading.Store(&Reading{
		Index: f.replica.Stats(), Params: f.replica.Params(), Next: f.replica.Next(), AppendTime: f.appendTime,
		ConfirmedTime: f.confirmedTime,
		Settings:      f.replica.Settings(),
	})
	f.read = time.Now()
}

// apply is the only place that changes the replica.
func (f *Follower) apply(ctx context.Context, at index.Stamp, leaderEpoch int32, rec index.Record) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.claimants.read(at.Offset < f.disputes.began, rec)
	if at.Offset < f.replica.Next() { // the mark before the snapshot
		return nil
	}
	confirmed := f.replica.Confirmed()
	clear(f.old.heals)
	effect, err := f.old.pager.Apply(ctx, at, rec)
	if err != nil {
		return err
	}
	if f.Recent != nil && len(effect.Judged) > 0 && f.caughtUp.Load() {
		f.Recent.Add(at, rec, effect.Judged, f.replica.TopicOf)
	}
	erase, erased := rec.(*index.Erase)
	if erased && effect.Applied {
		f.old.erased(erase)
	}
	f.leaderEpoch = leaderEpoch
	if at.LogAppendTime > 0 {
		f.appendTime = at.LogAppendTime
		f.Log.Stamped(at.Offset, at.LogAppendTime)
	}
	if f.replica.Confirmed() > confirmed {
		f.confirmedTime = at.LogAppendTime
	}
	due := time.Since(f.read) > readingEvery
	if due {
		f.publish()
	}
	if _, ok := rec.(*index.Routing); ok && effect.Applied && f.routed {
		if err := f.Agreed.SameRouting(f.Log, f.replica); err != nil {
			return err
		}
	}
	if _, ok := rec.(*index.SettingsChange); ok && effect.Applied && f.caughtUp.Load() {
		f.publish()
		f.logBounds(f.replica.Bounds())
	}
	if c, ok := rec.(*index.Checkpoint); ok && effect.Applied {
		by := strings.Clone(c.Member) // the record is used again
		f.Counters.SnapshotBy.Store(&by)
	}
	if mark, ok := rec.(*index.Mark); ok && f.taken != nil && mark.Number == f.mark {
		f.taken <- capture{f.replica.Capture(), leaderEpoch}
		f.taken = nil
	}
	err = f.disputes.claim(at.Offset, rec, effect.Disputed)
	if err == nil && (due || erased) { // an erasure has segments be in memory
		err = f.old.waitForFiles(ctx)
	}
	return err
}

// erased lets what was erased be nowhere else on this member. KeepFiles removes the files that have it.
func (o *old) erased(rec *index.Erase) {
	if o.f.Recent != nil {
		o.f.Recent.Erase(rec.Targets)
	}
	o.untidy.Store(true)
}

// capture is a replica's state, and the leader epoch of the record before.
type capture struct {
	index.Capture
	leaderEpoch int32
}

// captureBehind asks for a capture of the replica right behind the mark of that number. An earlier request is dropped.
func (f *Follower) captureBehind(mark uint64) <-chan capture {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := make(chan capture, 1) // applying waits for nobody
	f.mark, f.taken = mark, taken
	return taken
}

// skip passes a stray.
func (f *Follower) skip(at index.Stamp, leaderEpoch int32, why *journal.StrayError) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.claimants.skipped(at.Offset < f.disputes.began, why)
	if at.Offset >= f.replica.Next() {
		f.replica.Skip(at)
		f.leaderEpoch = leaderEpoch
	}
}

// From is the journal offset that the journal is followed from.
func (f *Follower) From() int64 { return f.place.Offset }

// Next is the journal offset that the replica applies next.
func (f *Follower) Next() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.replica.Next()
}

// Look calls fn with the replica, which must not change it nor keep it.
func (f *Follower) Look(fn func(*index.Replica)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn(f.replica)
}

// Follow applies the journal until ctx is done, and the error says why it cannot be followed any more. The end of ctx is
// that of the replica's time.
func (f *Follower) Follow(ctx context.Context) error {
	context.AfterFunc(ctx, func() { close(f.ended) }) // not before the error, which is the cause of ctx then
	u := journal.NewUnpacker(f.Journal)
	opts := append(append([]kgo.Opt{}, f.Kafka...), journal.FollowerOptions(f.Log.Topic, f.place, u, f.Log.Client())...)
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return fmt.Errorf("open follower: %w", err)
	}
	defer client.Close()
	return f.unfollowed(ctx, f.trimmedUnder(ctx, journal.Follow(ctx, client, f.handler(ctx, u))))
}

func (f *Follower) handler(ctx context.Context, u *unpack.Unpacker) journal.Handler {
	said := &trouble{counters: f.Counters, logger: f.Logger}
	return journal.Handler{
		From: f.place.Offset, Unpacker: u,
		Took: func(n int) { f.Counters.ReadRecords.Add(1); f.Counters.ReadBytes.Add(uint64(n)) },
		Apply: func(at index.Stamp, leaderEpoch int32, rec index.Record) error {
			return f.apply(ctx, at, leaderEpoch, rec)
		},
		AllApplied: func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.publish()
			f.waiting.wake()
		},
		Ask: f.asks, ProducerTime: f.ProducerTime, Owner: f.Group,
		Skip: func(at index.Stamp, leaderEpoch int32, why *journal.StrayError) error {
			f.skip(at, leaderEpoch, why)
			said.stray(why)
			return nil
		},
		Untimed: said.withoutTime,
		Trouble: func(err error) { f.Logger.Warn().Err(err).Msg("the journal cannot be read now: asking again") },
	}
}

// unfollowed returns the error that the process ends with when the journal cannot be followed any more.
func (f *Follower) unfollowed(ctx context.Context, err error) error {
	var overtaken *OvertakenError
	switch {
	case errors.As(err, &overtaken):
		return err
	case errors.Is(err, journal.ErrVersion):
		return &stop.Error{
			What: fmt.Sprintf("journal %s holds what this version of unecho cannot read", f.Log.Topic), Err: err,
			Remedy: "start the version that the other members run",
		}
	case errors.Is(err, journal.ErrLost) && journalDeleted(ctx, f.Log, f.Logger):
		return &stop.Error{
			What: "journal " + f.Log.Topic + " was deleted while this member worked", Err: err,
			Remedy: "restore it; if it is lost, or was deleted to begin anew, start again: " + journal.NextGap,
		}
	case errors.Is(err, journal.ErrLost):
		return &stop.Error{
			What: "this replica cannot go on", Err: err,
			Remedy: "start again to restore from a snapshot; if it stops here again, the journal lost records: restore it, or " +
				"delete journal and snapshots to begin anew",
		}
	}
	return err
}

// journalDeleted says whether Kafka answers that the journal is gone, or is another one. An error that is about the journal is
// no proof of that alone.
func journalDeleted(ctx context.Context, log *journal.Log, logger zerolog.Logger) bool {
	found, err := broker.NewTopics(log.Client(), logger).Describe(ctx, log.Topic)
	return errors.Is(err, broker.ErrMissing) || err == nil && found[0].ID != log.ID
}

// CatchUp waits until the replica has passed the journal's end. It asks for the end again until the wait is short. It
// also makes sure of settings and routing, because members that differ must not run together.
func (f *Follower) CatchUp(ctx context.Context, maxLag time.Duration) error {
	for declared := 0; ; {
		end, err := f.Log.End(ctx)
		if err != nil {
			return err
		}
		began := time.Now()
		if err := f.Wait(ctx, end-1); err != nil {
			return err
		}
		if err := f.belongs(); err != nil {
			return err
		}
		took := time.Since(began)
		if took > maxLag/2 {
			continue // what came meanwhile may be as much
		}
		agreed, err := f.agree(ctx, declared)
		if err != nil {
			return err
		}
		declared++
		if agreed {
			var bounds index.Bounds
			if !f.caughtUp.Swap(true) {
				f.Look(func(r *index.Replica) { bounds = r.Bounds() })
				if lines := index.BoundsDiff(f.Agreed.Settings, bounds); len(lines) > 0 {
					f.logBounds(bounds)
				}
			}
			f.Logger.Info().Int64("journal_offset", end).Dur("took_ms", took).Msg("caught up with the journal")
			return nil
		}
	}
}
