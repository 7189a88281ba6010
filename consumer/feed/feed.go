package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/protocol/feeding"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
)

// Run feeds the journal until every range of the plan is fed to its end, and the replica has taken it. It goes on
// where the replica says that feeders before it, or beside it, have come to. It waits for the sessions, which make
// the partitions known to the journal and commit the verdicts. It returns nil, the cause of ctx, or a *stop.Error.
func Run(ctx context.Context, s Setup) error {
	f := &feeder{Setup: &s, unpacker: unpack.New(unpack.LimitsOf(s.MaxBatchBytes, s.FetchBytes))}
	var err error
	if f.workers, err = signing.NewWorkers(s.Signing, f.unpacker); err != nil {
		return fmt.Errorf("build feeder: %w", err)
	}
	for untaken := 0; ; {
		before := f.fed
		err := f.goOn(ctx)
		if f.fed > before {
			untaken = 0
		}
		var final *stop.Error
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &final), errors.Is(err, ErrOver):
			return err
		case errors.Is(err, feeding.ErrUntaken):
			untaken++
			err = s.Log.BeforeRepeat(ctx, untaken)
		default:
			s.Logger.Warn().Err(err).Msg("the feeder begins again where the replica is")
			err = retry.Pause(ctx, again)
		}
		if err != nil {
			return err
		}
	}
}

// again is how long a feeder waits before it begins again after trouble.
const again = 500 * time.Millisecond

type feeder struct {
	*Setup
	unpacker *unpack.Unpacker
	workers  signing.Workers
	fed      uint64 // entries, when it began the last time
}

// goOn feeds from where the replica is. It returns nil when all is fed.
func (f *feeder) goOn(ctx context.Context) (err error) {
	from, err := f.state(ctx)
	if err != nil {
		return err
	}
	f.fed = from.Entries
	if f.Fill > 0 {
		err = f.whatIsLeft(ctx, &from)
	} else {
		err = f.sameTopics(ctx)
	}
	if err != nil {
		return err
	}
	m := feeding.NewMerge(f.Plan, from, f.limits())
	if m.Done() {
		return nil
	}
	f.unpacker = f.unpacker.Renew()
	r, err := newReader(f.Setup, f.unpacker, f.workers, m)
	if err != nil {
		return err
	}
	defer r.close()
	level := zerolog.InfoLevel
	if f.Fill > 1 { // a successor's rounds go on for as long as it waits for its handover
		level = zerolog.DebugLevel
	}
	f.Logger.WithLevel(level).Uint64("entries_before", from.Entries).Int("partitions", len(f.Plan.Ranges)).Msg("feeding begins")
	ctx, cancel := context.WithCancel(ctx)
	s := &sender{Setup: f.Setup, ledger: feeding.NewLedger(from.Entries)}
	defer func() {
		cancel()
		_ = s.landed() // the error that ended this counts
	}()
	if err := f.feed(ctx, m, r, s); err != nil {
		return err
	}
	return s.arrived(ctx, 0)
}

// feed reads, merges and sends until all is sent.
func (*feeder) feed(ctx context.Context, m *feeding.Merge, r *reader, s *sender) error {
	for last := time.Now(); ; {
		first := m.First()
		if err := send(ctx, m, s, m.Complete() || time.Since(last) > pollWait); err != nil || m.Done() {
			return err
		}
		if m.First() > first {
			last = time.Now()
		}
		if m.Complete() {
			continue // the ends of very many ranges need several records
		}
		if err := r.poll(ctx); err != nil {
			return err
		}
	}
}

// send sends the records that are full, and if all is set the one behind them.
func send(ctx context.Context, m *feeding.Merge, s *sender, all bool) error {
	for full := true; full; {
		full = m.Fill()
		if !full && !all {
			break
		}
		record, ok := m.Sealed()
		if !ok {
			break
		}
		if err := s.add(ctx, record, m.Rejected(), m.Size()); err != nil {
			return err
		}
		m.Begin()
	}
	return s.send(ctx)
}

// state waits until the replica has passed the journal's end, and knows the partitions of the plan. It returns how
// far they are fed.
func (f *feeder) state(ctx context.Context) (feeding.State, error) {
	end, err := f.Log.End(ctx)
	if err != nil {
		return feeding.State{}, err
	}
	if err := f.Replica.Wait(ctx, end-1); err != nil {
		return feeding.State{}, err
	}
	for {
		advanced := f.Replica.Advanced()
		var now feeding.State
		known := true
		f.Replica.Look(func(r *index.Replica) {
			if f.Fill > 0 {
				now, err = f.filled(r)
			} else {
				now, known = feeding.StateOf(f.Plan, r)
			}
		})
		if known || err != nil {
			return now, err
		}
		select {
		case <-advanced:
		case <-ctx.Done():
			return feeding.State{}, context.Cause(ctx)
		}
	}
}
