package ops

import (
	"context"
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
	before, at := stats(), time.Now()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		s, now := stats(), time.Now()
		if s.Ready {
			logStanding(logger, &before, &s, now.Sub(at))
		}
		before, at = s, now
	}
}

// logStanding logs what was done in a period, and how the service stands at its end.
func logStanding(logger zerolog.Logger, before, s *consumer.Stats, took time.Duration) {
	documents := s.Committed() - before.Committed()
	e := logger.Info().Uint64("documents", documents).
		Float64("documents_per_s", rounded(float64(documents)/took.Seconds(), 10))
	if documents > 0 {
		e.Float64("duplicate_share", rounded(float64(s.Duplicate-before.Duplicate)/float64(documents), 10_000))
	}
	if n := s.Rejections() - before.Rejections(); n > 0 {
		e.Uint64("rejected", n)
	}
	for _, reason := range sink.UncheckedReasons() {
		if n := s.UncheckedBy[reason] - before.UncheckedBy[reason]; n > 0 {
			e.Uint64("unchecked_"+string(reason), n)
		}
	}
	if s.SourceLag >= 0 {
		e.Int64("lag", s.SourceLag)
	}
	e.Int("window_documents", s.Index.Documents).Int64("window_bytes", s.Index.WindowBytes).
		Dur("window_age_ms", s.Index.Age()).Msg("at work")
}

func rounded(x, parts float64) float64 { return math.Round(x*parts) / parts }
