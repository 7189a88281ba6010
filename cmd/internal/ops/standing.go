package ops

import (
	"context"
	"maps"
	"math"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/sink"
)

// LogStanding logs at intervals how a service stands, until ctx is done. It is enough to see without metrics whether
// the service works, how far it is behind, and what it remembers. A service that is not ready yet logs by itself what
// it waits for.
func LogStanding(ctx context.Context, every time.Duration, stats func() consumer.Stats, logger zerolog.Logger) {
	if every <= 0 || logger.GetLevel() > zerolog.InfoLevel {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	before, at := totalsOf(stats()), time.Now()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		s, now := stats(), time.Now()
		totals := totalsOf(s)
		if s.Ready {
			logStanding(logger, &s, totals.since(before), now.Sub(at))
		}
		before, at = totals, now
	}
}

// totals are the documents that this process has committed.
type totals struct {
	documents, duplicates, rejected uint64

	unchecked map[sink.UncheckedReason]uint64
}

func totalsOf(s consumer.Stats) totals {
	t := totals{duplicates: s.Duplicate, unchecked: s.UncheckedBy}
	for _, n := range s.Rejected {
		t.rejected += n
	}
	t.documents = s.Unique + s.Duplicate + s.Unchecked + t.rejected
	return t
}

func (t totals) since(before totals) totals {
	t.documents, t.duplicates, t.rejected = t.documents-before.documents, t.duplicates-before.duplicates, t.rejected-before.rejected
	t.unchecked = maps.Clone(t.unchecked)
	for reason, n := range before.unchecked {
		t.unchecked[reason] -= n
	}
	return t
}

// logStanding logs what was done in a period, and how the service stands at its end.
func logStanding(logger zerolog.Logger, s *consumer.Stats, done totals, took time.Duration) {
	e := logger.Info().Uint64("documents", done.documents).
		Float64("documents_per_s", rounded(float64(done.documents)/took.Seconds(), 10))
	if done.documents > 0 {
		e.Float64("duplicate_share", rounded(float64(done.duplicates)/float64(done.documents), 10_000))
	}
	if done.rejected > 0 {
		e.Uint64("rejected", done.rejected)
	}
	for _, reason := range sink.UncheckedReasons() {
		if n := done.unchecked[reason]; n > 0 {
			e.Uint64("unchecked_"+string(reason), n)
		}
	}
	if s.SourceLag >= 0 {
		e.Int64("lag", s.SourceLag)
	}
	e.Int("window_documents", s.Index.Documents).Int64("window_bytes", s.Index.WindowBytes).
		Dur("window_age_ms", windowAge(s)).Msg("at work")
}

// windowAge returns how long ago the oldest document of the window was applied, by the clock of the journal.
func windowAge(s *consumer.Stats) time.Duration {
	if s.Index.OldestApplied == 0 {
		return 0
	}
	return time.Duration(s.Index.Now-s.Index.OldestApplied) * time.Millisecond
}

func rounded(x, parts float64) float64 { return math.Round(x*parts) / parts }
