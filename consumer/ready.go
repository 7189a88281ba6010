package consumer

import (
	"context"
	"time"

	"github.com/unecho/unecho/consumer/session"
)

// stir lets the service look at its sessions.
func (s *Service) stir() {
	select {
	case s.stirred <- struct{}{}:
	default:
	}
}

// standingEvery is how often sessions are looked at when nothing stirs, because some of their troubles end by time alone.
const standingEvery = 500 * time.Millisecond

// watchStanding keeps account of whether this process is ready, until ctx is done; then it is not.
func (p *process) watchStanding(ctx context.Context, sessions []*session.Session) {
	tick := time.NewTicker(standingEvery)
	defer tick.Stop()
	defer p.stand(Standing{}, false)
	for was, told := false, false; ; {
		now := session.Stand(sessions, time.Now())
		is := now.Trouble == ""
		p.stand(now, is)
		switch {
		case is && !told:
			p.took.End("partitions")
			p.setup.Logger.Info().Str("member", p.name.member).Int("sessions", len(sessions)).EmbedObject(p.took).Msg("ready")
		case is && !was:
			p.setup.Logger.Info().Str("member", p.name.member).Msg("ready again")
		case was && !is:
			p.setup.Logger.Warn().Str("member", p.name.member).Str("because", now.Trouble).Msg("not ready")
		}
		was, told = is, told || is
		select {
		case <-p.stirred:
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
	s.ready.Store(ready)
}
