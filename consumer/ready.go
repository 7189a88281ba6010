package consumer

import (
	"context"
	"time"
)

// stir lets the service look at its sessions.
func (sh *shared) stir() {
	select {
	case sh.stirred <- struct{}{}:
	default:
	}
}

// standingEvery is how often sessions are looked at where nothing stirs: some of what keeps them is only time that passes.
const standingEvery = 500 * time.Millisecond

// watchStanding keeps account of whether this process is ready, until ctx is done; then it is not.
func (s *Service) watchStanding(ctx context.Context, member string, sessions []*session) {
	tick := time.NewTicker(standingEvery)
	defer tick.Stop()
	defer s.stand(Standing{}, false)
	for was, told := false, false; ; {
		now := stand(sessions, time.Now())
		is := now.Trouble == ""
		s.stand(now, is)
		switch {
		case is && !told:
			s.took.end("partitions")
			s.setup.Logger.Info().Str("member", member).Int("sessions", len(sessions)).EmbedObject(s.took).Msg("ready")
		case is && !was:
			s.setup.Logger.Info().Str("member", member).Msg("ready again")
		case was && !is:
			s.setup.Logger.Warn().Str("member", member).Str("because", now.Trouble).Msg("not ready")
		}
		was, told = is, told || is
		select {
		case <-s.shared.stirred:
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// stand lets others know.
func (s *Service) stand(now Standing, ready bool) {
	s.mu.Lock()
	s.stands = now
	s.mu.Unlock()
	s.shared.counters.ready.Store(ready)
}
