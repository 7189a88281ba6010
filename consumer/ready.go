package consumer

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/consumer/session"
)

// stir makes the service look at its sessions.
func (s *Service) stir() {
	select {
	case s.stirred <- struct{}{}:
	default:
	}
}

// standingEvery is how often sessions are looked at without a change, because some of their troubles end by time alone.
const standingEvery = 500 * time.Millisecond

// watchStanding keeps track of whether this process is ready, until ctx is done. After that it is not ready.
func (p *process) watchStanding(ctx context.Context, sessions []*session.Session) {
	tick := time.NewTicker(standingEvery)
	defer tick.Stop()
	defer p.stand(Standing{}, false)
	for was, told := false, false; ; {
		now := p.standing(sessions, time.Now())
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

// standing sums up the sessions and the journal. While documents are passed on without it the journal is no trouble.
func (p *process) standing(sessions []*session.Session, at time.Time) Standing {
	now := session.Stand(sessions, at)
	if trouble := p.log.Trouble(at); trouble != "" && p.session.Counters.Passing.Load() == 0 {
		now.Trouble = strings.Join(slices.DeleteFunc([]string{trouble, now.Trouble}, func(s string) bool { return s == "" }), "; ")
	}
	return now
}

// stand publishes the standing.
func (s *Service) stand(now Standing, ready bool) {
	s.mu.Lock()
	s.stands = now
	s.mu.Unlock()
	s.ready.Store(ready)
}
