package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// lagEvery is how often the lags are read: often enough for an alert, rare enough to cost nothing.
const lagEvery = 10 * time.Second

// lagPause is how long a reading waits before it tries again: a coordinator that has just begun, a leader that moves.
const lagPause = 250 * time.Millisecond

// watchLag reads how far the group is behind its source, and where the journal ends, until ctx is done. It only informs:
// what cannot be read is unknown, and nothing waits for it.
func (s *Service) watchLag(ctx context.Context) {
	tick := time.NewTicker(lagEvery)
	defer tick.Stop()
	for {
		s.readLag(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// readLag reads once. A failure is logged where the lag becomes unknown, not each time it still is.
func (s *Service) readLag(ctx context.Context) {
	s.sayCuts()
	reading, cancel := context.WithTimeout(ctx, lagEvery)
	defer cancel()
	lag, err := s.shared.lags(reading)
	for kerr.IsRetriable(err) && pause(reading, lagPause) == nil {
		lag, err = s.shared.lags(reading)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		lag = -1
		s.shared.counters.journalEnd.Store(-1) // an old end would look like a replica that keeps up
	}
	s.mu.Lock()
	known := s.lagRead
	s.lag, s.lagRead = lag, err == nil
	s.mu.Unlock()
	if err != nil && known {
		s.setup.Logger.Warn().Err(err).Msg("lag is unknown: it is read again every few seconds, the stream does not depend on it")
	}
}

// lags reads the lag of the source, and renews the journal's end.
func (sh *shared) lags(ctx context.Context) (int64, error) {
	lag, err := sh.sourceLag(ctx)
	if err != nil {
		return -1, err
	}
	_, err = sh.journalEnd(ctx)
	return lag, err
}

// sourceLag is how many offsets of the source topics the group has not committed yet, all members together, up to where a
// read-committed reader can get now.
func (sh *shared) sourceLag(ctx context.Context) (int64, error) {
	admin := kadm.NewClient(sh.admin)
	// Committed offsets first: read last, they could be ahead of the ends.
	done, err := admin.FetchOffsets(ctx, sh.params.Group)
	if err == nil {
		err = done.Error()
	}
	if err != nil && !errors.Is(err, kerr.GroupIDNotFound) { // a group that nobody has joined yet has committed nothing
		return -1, fmt.Errorf("fetch committed offsets: %w", err)
	}
	starts, err := admin.ListStartOffsets(ctx, sh.sourceParams.Topics...)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return -1, fmt.Errorf("list start offsets of source: %w", err)
	}
	ends, err := admin.ListCommittedOffsets(ctx, sh.sourceParams.Topics...)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return -1, fmt.Errorf("list end offsets of source: %w", err)
	}
	return lagOf(done, starts, ends), nil
}

// lagOf sums over the partitions what lies between the committed offset and the end. A partition without a committed offset
// is owed from its start: one that begins at latest has its offset committed as soon as it is assigned. What retention has
// deleted is owed no more.
func lagOf(done kadm.OffsetResponses, starts, ends kadm.ListedOffsets) int64 {
	var lag int64
	ends.Each(func(end kadm.ListedOffset) {
		var from int64
		if start, ok := starts.Lookup(end.Topic, end.Partition); ok {
			from = start.Offset
		}
		if c, ok := done.Lookup(end.Topic, end.Partition); ok {
			from = max(from, c.At)
		}
		lag += max(0, end.Offset-from)
	})
	return lag
}
