package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/broker"
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
		s.sayCuts()
		s.readLag(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// owed is what the group has still to read.
type owed struct {
	lag        int64    // of the partitions that have leaders
	leaderless []string // partitions
}

// readLag reads once. A failure is logged where the lag becomes unknown, not each time it still is; so is a leader that is gone.
func (s *Service) readLag(ctx context.Context) {
	reading, cancel := context.WithTimeout(ctx, lagEvery)
	defer cancel()
	now, err := s.shared.lags(reading)
	for kerr.IsRetriable(err) && pause(reading, lagPause) == nil {
		now, err = s.shared.lags(reading)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.shared.counters.journalEnd.Store(-1) // an old end would look like a replica that keeps up
	}
	s.mu.Lock()
	before, known := s.owed, s.lagRead
	s.owed, s.lagRead = now, err == nil
	s.mu.Unlock()
	if err != nil && known {
		s.setup.Logger.Warn().Err(err).Msg("lag is unknown: it is read again every few seconds, the stream does not depend on it")
	}
	if err == nil && !slices.Equal(now.leaderless, before.leaderless) {
		s.tellLeaderless(now.leaderless)
	}
}

func (s *Service) tellLeaderless(partitions []string) {
	if len(partitions) == 0 {
		s.setup.Logger.Info().Msg("all partitions of the source have leaders again")
		return
	}
	s.setup.Logger.Warn().Strs("partitions", partitions).Msg("partitions of the source have no leader: they wait for one, the others go on")
}

// lags reads the lag of the source, and renews the journal's end.
func (sh *shared) lags(ctx context.Context) (owed, error) {
	source, err := sh.sourceLag(ctx)
	if err == nil {
		_, err = sh.journalEnd(ctx)
	}
	if err != nil {
		return unknownLag(), err
	}
	return source, nil
}

func unknownLag() owed { return owed{lag: -1} }

// sourceLag is how many offsets of the source topics the group has not committed yet, all members together, up to where a
// read-committed reader can get now. Sessions commit the markers of transactions as well, so that it comes to 0.
func (sh *shared) sourceLag(ctx context.Context) (owed, error) {
	admin := kadm.NewClient(sh.admin)
	// Committed offsets first: read last, they could be ahead of the ends.
	done, err := admin.FetchOffsets(ctx, sh.params.Group)
	if err == nil {
		err = done.Error()
	}
	if err != nil && !errors.Is(err, kerr.GroupIDNotFound) { // a group that nobody has joined yet has committed nothing
		return unknownLag(), fmt.Errorf("fetch committed offsets: %w", err)
	}
	starts, err := broker.Offsets(ctx, admin.ListStartOffsets, sh.sourceParams.Topics...)
	if err != nil {
		return unknownLag(), fmt.Errorf("list start offsets of source: %w", err)
	}
	ends, err := broker.Offsets(ctx, admin.ListCommittedOffsets, sh.sourceParams.Topics...)
	if err != nil {
		return unknownLag(), fmt.Errorf("list end offsets of source: %w", err)
	}
	return lagOf(done, starts, ends), nil
}

// lagOf sums over the partitions what lies between the committed offset and the end. A partition without a committed offset
// is owed from its start: one that begins at latest has its offset committed as soon as it is assigned. What retention has
// deleted is owed no more.
func lagOf(done kadm.OffsetResponses, starts, ends kadm.ListedOffsets) (o owed) {
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
		o.lag += max(0, end.Offset-from)
	})
	slices.Sort(o.leaderless)
	return o
}
