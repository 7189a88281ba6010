package member

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/journal"
)

// StrayCounters count the strays by reason, in the order of journal.Reasons.
type StrayCounters [8]atomic.Uint64

func (c *StrayCounters) add(why journal.Reason) {
	c[slices.Index(journal.Reasons(), why)].Add(1)
}

// Read returns them by reason.
func (c *StrayCounters) Read() map[journal.Reason]uint64 {
	n := map[journal.Reason]uint64{}
	for i, why := range journal.Reasons() {
		n[why] = c[i].Load()
	}
	return n
}

// logEvery is how often the same trouble with the journal is said: somebody's mistake may come a thousand times a
// second.
const logEvery = 10 * time.Second

// sparing allows a message at most once in logEvery, and counts how often it was left unsaid meanwhile. One goroutine
// uses it.
type sparing struct {
	next   time.Time
	unsaid int
}

func (s *sparing) may(now time.Time) (unsaid int, yes bool) {
	if now.Before(s.next) {
		s.unsaid++
		return 0, false
	}
	unsaid, s.unsaid, s.next = s.unsaid, 0, now.Add(logEvery)
	return unsaid, true
}

// trouble says what is wrong with records of the journal. It belongs to the follower's goroutine.
type trouble struct {
	counters        *Counters
	logger          zerolog.Logger
	strays, untimed sparing
}

func (l *trouble) stray(why *journal.StrayError) {
	l.counters.Strays.add(why.Reason)
	if unsaid, yes := l.strays.may(time.Now()); yes {
		l.logger.Error().Err(why.Err).Int64("journal_offset", why.Offset).Str("reason", string(why.Reason)).
			Int("unsaid", unsaid).Str("remedy", "find out who writes to the topic").
			Msg("a record in the journal is not of this group: all members ignore it")
	}
}

func (l *trouble) withoutTime(offset int64) {
	if unsaid, yes := l.untimed.may(time.Now()); yes {
		l.logger.Error().Int64("journal_offset", offset).Int("unsaid", unsaid).
			Msg("journal records carry the producer's time: documents do not age meanwhile; set " +
				"message.timestamp.type=LogAppendTime on the topic")
	}
}
