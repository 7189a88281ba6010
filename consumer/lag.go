package consumer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/session"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/index/entry"
)

// lagEvery is how often the lags are read: often enough for an alert, and seldom enough to cost next to nothing.
const lagEvery = 10 * time.Second

// lagPause is how long a reading waits before it tries again, for example because a coordinator has just begun or a
// leader moves.
const lagPause = 250 * time.Millisecond

// lags reads how far the group is behind its source, and where the journal ends. It only informs: a lag that cannot be
// read is unknown, and nothing waits for it.
type lags struct {
	*reached
	sources *routing.Topics
	owed    *atomic.Pointer[backlog] // the last reading
	failed  bool                     // the last reading did
	times   lagTimes
}

func (s *Service) lags(r *reached) *lags {
	return &lags{reached: r, sources: s.lookout.sources, owed: &s.owed}
}

// backlog is how much the group still has to read.
type backlog struct {
	lag        int64                         // offsets of the partitions that have leaders
	why        error                         // it is unknown
	leaderless []string                      // partitions, as topic/number
	of         map[entry.PartitionName]int64 // lag, by partition
	ours       []PartitionLag
	all        []PartitionLag
}

// Run reads until ctx is done. Then this process reads no partition any more.
func (l *lags) Run(ctx context.Context, sessions []*session.Session) {
	for {
		l.read(ctx, sessions...)
		if retry.Pause(ctx, l.setup.readsLag()) != nil {
			break
		}
	}
	now := *l.owed.Load()
	now.ours = nil
	l.owed.Store(&now)
}

func (s *Setup) readsLag() time.Duration { return cmp.Or(s.lagEvery, lagEvery) }

// read reads once. It logs a failure when the lag becomes unknown, and not again while the lag stays unknown. It logs a
// missing leader in the same way.
func (l *lags) read(ctx context.Context, sessions ...*session.Session) {
	reading, cancel := context.WithTimeout(ctx, lagEvery)
	defer cancel()
	now, err := l.lag(reading)
	for kerr.IsRetriable(err) && retry.Pause(reading, lagPause) == nil {
		now, err = l.lag(reading)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		l.log.Forget()
	}
	var reaches []standing.Reach
	for _, s := range sessions {
		reaches = append(reaches, s.Standing.Reaches()...)
	}
	now.why = err
	now.ours = l.times.ours(now.of, reaches, time.Now())
	now.all = everyLag(now.of, now.ours)
	before := l.owed.Swap(now)
	if err != nil && !l.failed {
		l.setup.Logger.Warn().Err(err).
			Msg("lag is unknown: it is read again every few seconds, the stream does not depend on it")
	}
	if l.failed = err != nil; err == nil && !slices.Equal(now.leaderless, before.leaderless) {
		l.logLeaderless(now.leaderless)
	}
}

func (l *lags) logLeaderless(partitions []string) {
	if len(partitions) == 0 {
		l.setup.Logger.Info().Msg("all partitions of the source have leaders again")
		return
	}
	l.setup.Logger.Warn().Strs("partitions", partitions).
		Msg("partitions of the source have no leader: they wait for one, the others go on")
}

// lag reads the lag of the source, and updates the journal's end.
func (l *lags) lag(ctx context.Context) (*backlog, error) {
	source, err := l.source(ctx)
	if err == nil {
		_, err = l.log.End(ctx)
	}
	if err == nil {
		err = l.log.ReadOldest(ctx)
	}
	if err != nil {
		return unknownLag(), err
	}
	return source, nil
}

func unknownLag() *backlog { return &backlog{lag: -1} }

// source returns how many offsets of the source topics all members together have not committed yet, up to where a
// read-committed reader can get now. Sessions commit the offsets of transaction markers as well, so that the lag can
// become 0.
func (l *lags) source(ctx context.Context) (*backlog, error) {
	admin := l.cluster.Admin()
	// Committed offsets are read first: read last, they could be ahead of the ends.
	done, err := broker.Committed(ctx, admin, l.setup.Params.Group)
	if err != nil {
		return nil, err
	}
	topics, _ := l.sources.List()
	if len(topics) == 0 { // to name none would ask for all
		return &backlog{of: map[entry.PartitionName]int64{}}, nil
	}
	starts, err := broker.Offsets(ctx, admin.ListStartOffsets, topics...)
	if err != nil {
		return nil, fmt.Errorf("list start offsets of source: %w", err)
	}
	ends, err := broker.Offsets(ctx, admin.ListCommittedOffsets, topics...)
	if err != nil {
		return nil, fmt.Errorf("list end offsets of source: %w", err)
	}
	return lagOf(done, starts, ends), nil
}

// lagOf sums the offsets between the committed offset and the end over the partitions. A partition without a committed
// offset counts from its start, because a partition that begins at latest has its offset committed as soon as it is
// assigned. Deleted documents do not count.
func lagOf(done kadm.OffsetResponses, starts, ends kadm.ListedOffsets) *backlog {
	o := &backlog{of: map[entry.PartitionName]int64{}}
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
		o.of[entry.Name(end.Topic, end.Partition)] = lag
		o.lag += lag
	})
	slices.Sort(o.leaderless)
	return o
}

// PartitionLag is how far the group is behind in a partition that this process reads.
type PartitionLag struct {
	entry.PartitionName
	Documents int64
	Seconds   float64 // age of the oldest document that is not committed, or a little more; -1 when unknown
}

// mostPartitions bounds how many partitions have a lag of their own, and with that what a collector keeps of a process.
const mostPartitions = 1000

// lagTimes tells for how long partitions have lagged.
type lagTimes struct {
	caughtUp map[entry.PartitionName]time.Time // when a partition was last read to its end
}

// ours returns the lags of the partitions that this process reads, in order. of is the lag of each partition of the
// source that is known.
func (l *lagTimes) ours(of map[entry.PartitionName]int64, reaches []standing.Reach, now time.Time) (all []PartitionLag) {
	caughtUp := make(map[entry.PartitionName]time.Time, len(of))
	for at, lag := range of {
		if last, ok := l.caughtUp[at]; ok {
			caughtUp[at] = last
		}
		if lag == 0 {
			caughtUp[at] = now
		}
	}
	l.caughtUp = caughtUp
	for _, r := range reaches {
		if lag, known := of[r.PartitionName]; known {
			all = append(all, PartitionLag{
				PartitionName: r.PartitionName, Documents: lag, Seconds: waited(lag, r.Written, caughtUp[r.PartitionName], now),
			})
		}
	}
	sortLags(all)
	return all[:min(len(all), mostPartitions)]
}

// everyLag returns the lags of all partitions, in order.
func everyLag(of map[entry.PartitionName]int64, ours []PartitionLag) []PartitionLag {
	seconds := make(map[entry.PartitionName]float64, len(ours))
	for _, l := range ours {
		seconds[l.PartitionName] = l.Seconds
	}
	all := make([]PartitionLag, 0, len(of))
	for at, lag := range of {
		s, known := seconds[at]
		if !known {
			s = -1
		}
		all = append(all, PartitionLag{PartitionName: at, Documents: lag, Seconds: s})
	}
	sortLags(all)
	return all[:min(len(all), mostPartitions)]
}

func sortLags(all []PartitionLag) {
	slices.SortFunc(all, func(a, b PartitionLag) int { return a.Compare(b.PartitionName) })
}

// waited returns for how many seconds the oldest document that is not committed has waited. It came after the last one
// that was committed, and after the partition was last read to its end; the later of both is the better bound. It
// returns -1 if neither is known.
func waited(lag int64, written, caughtUp, now time.Time) float64 {
	since := written
	if caughtUp.After(since) {
		since = caughtUp
	}
	switch {
	case lag == 0:
		return 0
	case since.IsZero():
		return -1
	}
	return max(0, now.Sub(since).Seconds())
}
