package consumer

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/phase"
	"github.com/unecho/unecho/consumer/session"
	"github.com/unecho/unecho/consumer/standing"
)

// state is how a process stands. The zero value is not ready.
type state struct {
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

// readiness keeps track of whether a process is ready while its sessions run.
type readiness struct {
	common   *session.Setup
	replicas *member.Counters
	sessions []*session.Session
	member   string
	took     *phase.Phases // until then
	stirred  <-chan struct{}
	stands   *atomic.Pointer[state]
}

// Run looks until ctx is done. After that the process is not ready.
func (r *readiness) Run(ctx context.Context) {
	log := r.common.Logger.With().Str("member", r.member).Logger()
	tick := time.NewTicker(standingEvery)
	defer tick.Stop()
	defer r.stands.Store(&state{})
	for was, told, looked := false, false, time.Now(); ; {
		at := time.Now()
		if stood := at.Sub(looked); stood > r.common.Params.SessionTimeout {
			log.Warn().Dur("for_ms", stood).Msg("this process stood still: it was stopped, or had no CPU; the group gave its partitions to others")
		}
		looked = at
		now := r.standing(at)
		is := now.Trouble == ""
		r.stands.Store(&state{now, is})
		switch {
		case is && !told:
			r.took.End("partitions")
			log.Info().Int("sessions", len(r.sessions)).EmbedObject(r.took).Msg("ready")
		case is && !was:
			log.Info().Msg("ready again")
		case was && !is:
			log.Warn().Str("because", now.Trouble).Msg("not ready")
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
	var all []*standing.Session
	for _, s := range r.sessions {
		all = append(all, s.Standing)
	}
	now := standing.Sum(all, at)
	journal := r.common.Log.Trouble(at)
	if r.common.Counters.Passing.Load() > 0 {
		journal = ""
	}
	now.Trouble = strings.Join(slices.DeleteFunc([]string{r.replicas.FileTrouble(at), journal, now.Trouble},
		func(s string) bool { return s == "" }), "; ")
	return now
}
