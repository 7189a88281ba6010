package consumer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/retry"
)

// lagEvery is how often the lags are read: often enough for an alert, and seldom enough to cost next to nothing.
const lagEvery = 10 * time.Second

// lagPause is how long a reading waits before it tries again, for example because a coordinator has just begun or a
// leader moves.
const lagPause = 250 * time.Millisecond

// watchLag reads how far the group is behind its source, and where the journal ends, until ctx is done. It only
// informs: a lag that cannot be read is unknown, and nothing waits for it.
func (p *process) watchLag(ctx context.Context) {
	tick := time.NewTicker(cmp.Or(p.setup.lagEvery, lagEvery))
	defer tick.Stop()
	defer p.forgetLags()
	for {
		p.sayCuts()
		p.sayDoubts()
		p.readLag(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// owed is how much the group still has to read.
type owed struct {
	lag        int64              // offsets of the partitions that have leaders
	leaderless []string           // partitions, as topic/number
	of         map[sourceAt]int64 // lag, by partition
	ours       []PartitionLag
	all        []PartitionLag
}

// readLag reads once. It logs a failure when the lag becomes unknown, and not again while the lag stays unknown. It
// logs a missing leader in the same way.
func (p *process) readLag(ctx context.Context) {
	reading, cancel := context.WithTimeout(ctx, lagEvery)
	defer cancel()
	now, err := p.lags(reading)
	for kerr.IsRetriable(err) && retry.Pause(reading, lagPause) == nil {
		now, err = p.lags(reading)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		p.log.Forget()
	}
	now.ours = p.times.ours(now.of, p.reaches(), time.Now())
	now.all = everyLag(now.of, now.ours)
	p.mu.Lock()
	before, known := p.owed, p.lagRead
	p.owed, p.lagRead = now, err == nil
	p.mu.Unlock()
	if err != nil && known {
		p.setup.Logger.Warn().Err(err).
			Msg("lag is unknown: it is read again every few seconds, the stream does not depend on it")
	}
	if err == nil && !slices.Equal(now.leaderless, before.leaderless) {
		p.tellLeaderless(now.leaderless)
	}
}

func (s *Service) tellLeaderless(partitions []string) {
	if len(partitions) == 0 {
		s.setup.Logger.Info().Msg("all partitions of the source have leaders again")
		return
	}
	s.setup.Logger.Warn().Strs("partitions", partitions).
		Msg("partitions of the source have no leader: they wait for one, the others go on")
}

// lags reads the lag of the source, and updates the journal's end.
func (p *process) lags(ctx context.Context) (owed, error) {
	source, err := p.sourceLag(ctx)
	if err == nil {
		_, err = p.log.End(ctx)
	}
	if err == nil {
		err = p.log.ReadOldest(ctx)
	}
	if err != nil {
		return unknownLag(), err
	}
	return source, nil
}

func unknownLag() owed { return owed{lag: -1} }

// sourceLag returns how many offsets of the source topics all members together have not committed yet, up to where a
// read-committed reader can get now. Sessions commit the offsets of transaction markers as well, so that the lag can
// become 0.
func (p *process) sourceLag(ctx context.Context) (owed, error) {
	admin := p.cluster.Admin()
	// Committed offsets are read first: read last, they could be ahead of the ends.
	done, err := broker.Committed(ctx, admin, p.setup.Params.Group)
	if err != nil {
		return unknownLag(), err
	}
	topics, _ := p.session.Sources.List()
	if len(topics) == 0 { // to name none would ask for all
		return owed{of: map[sourceAt]int64{}}, nil
	}
	starts, err := broker.Offsets(ctx, admin.ListStartOffsets, topics...)
	if err != nil {
		return unknownLag(), fmt.Errorf("list start offsets of source: %w", err)
	}
	ends, err := broker.Offsets(ctx, admin.ListCommittedOffsets, topics...)
	if err != nil {
		return unknownLag(), fmt.Errorf("list end offsets of source: %w", err)
	}
	return lagOf(done, starts, ends), nil
}

// lagOf sums the offsets between the committed offset and the end over the partitions. A partition without a committed
// offset counts from its start, because a partition that begins at latest has its offset committed as soon as it is
// assigned. Deleted documents do not count.
func lagOf(done kadm.OffsetResponses, starts, ends kadm.ListedOffsets) (o owed) {
	o.of = map[sourceAt]int64{}
	ends.Each(func(end kadm.ListedOffset) {
		start, ok := starts.Lookup(end.Topic, end.Partition)
		if end.Err != nil || ok && start.Err != nil {
			o.leaderless = append(o.leaderless, fmt.Sprintf("%s/%d", end.Topic, end.Partition))
			return
		}
		from := start.Offset
		if c, ok := done.Lookup(end.Topic, end.Partition); ok {
			from = max(from, c.At)
		}
		lag := max(0, end.Offset-from)
		o.of[sourceAt{end.Topic, end.Partition}] = lag
		o.lag += lag
	})
	slices.Sort(o.leaderless)
	return o
}
