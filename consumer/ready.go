package consumer

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/phase"
	"github.com/unecho/unecho/consumer/session"
)

// stand is how a process stands. The zero value is not ready.
type stand struct {
	Standing
	ready bool
}

// stir makes the process look at its sessions.
func (k *kept) stir() {
	select {
	case k.stirred <- struct{}{}:
	default:
	}
}

// standingEvery is how often sessions are looked at without a change, because some of their troubles end by time alone.
const standingEvery = 500 * time.Millisecond

// readiness keeps track of whether a process is ready while it takes part in the group.
type readiness struct {
	sessions []*session.Session
	counters *session.Counters
	log      *journal.Log
	stirred  <-chan struct{}
	stands   *atomic.Pointer[stand]
	took     *phase.Phases
	logger   zerolog.Logger
}

func (p *process) readiness(sessions []*session.Session) *readiness {
	return &readiness{
		sessions: sessions, counters: p.counters, log: p.log, stirred: p.stirred, stands: &p.stands, took: p.took,
		logger: p.setup.Logger.With().Str("member", p.name.member).Logger(),
	}
}

// Run looks until ctx is done. After that the process is not ready.
func (r *readiness) Run(ctx context.Context) {
	tick := time.NewTicker(standingEvery)
	defer tick.Stop()
	defer r.stands.Store(&stand{})
	for was, told := false, false; ; {
		now := r.standing(time.Now())
		is := now.Trouble == ""
		r.stands.Store(&stand{now, is})
		switch {
		case is && !told:
			r.took.End("partitions")
			r.logger.Info().Int("sessions", len(r.sessions)).EmbedObject(r.took).Msg("ready")
		case is && !was:
			r.logger.Info().Msg("ready again")
		case was && !is:
			r.logger.Warn().Str("because", now.Trouble).Msg("not ready")
		}
		was, told = is, told || is
		select {
		case <-r.stirred:
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// standing sums up the sessions and the journal. While documents are passed on without it the journal is no trouble.
func (r *readiness) standing(at time.Time) Standing {
	now := session.Stand(r.sessions, at)
	if trouble := r.log.Trouble(at); trouble != "" && r.counters.Passing.Load() == 0 {
		now.Trouble = strings.Join(slices.DeleteFunc([]string{trouble, now.Trouble}, func(s string) bool { return s == "" }), "; ")
	}
	return now
}
