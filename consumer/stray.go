package consumer

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
)

// strayCounters count the strays by reason, in the order of journal.Reasons.
type strayCounters [8]atomic.Uint64

func (c *strayCounters) add(why journal.Reason) {
	c[slices.Index(journal.Reasons(), why)].Add(1)
}

func (c *strayCounters) read() map[journal.Reason]uint64 {
	n := map[journal.Reason]uint64{}
	for i, why := range journal.Reasons() {
		n[why] = c[i].Load()
	}
	return n
}

// sayEvery is how often the same trouble with the journal is said: somebody's mistake may come a thousand times a second.
const sayEvery = 10 * time.Second

// sparing lets something be said at most once in sayEvery, with how often it was not said meanwhile. One goroutine uses it.
type sparing struct {
	next   time.Time
	unsaid int
}

func (s *sparing) may(now time.Time) (unsaid int, yes bool) {
	if now.Before(s.next) {
		s.unsaid++
		return 0, false
	}
	unsaid, s.unsaid, s.next = s.unsaid, 0, now.Add(sayEvery)
	return unsaid, true
}

// journalLog says what is wrong with records of the journal. It belongs to the follower's goroutine.
type journalLog struct {
	*shared
	strays, untimed sparing
}

func (l *journalLog) stray(why *journal.StrayError) {
	l.counters.strays.add(why.Reason)
	if unsaid, yes := l.strays.may(time.Now()); yes {
		l.logger.Error().Err(why.Err).Int64("journal_offset", why.Offset).Str("reason", string(why.Reason)).Int("unsaid", unsaid).
			Msg("a record in the journal is none of this group's: it changes nothing, on every member alike; find out who writes to the topic")
	}
}

func (l *journalLog) withoutTime(offset int64) {
	if unsaid, yes := l.untimed.may(time.Now()); yes {
		l.logger.Error().Int64("journal_offset", offset).Int("unsaid", unsaid).
			Msg("journal records carry the producer's time: documents do not age meanwhile; set message.timestamp.type=LogAppendTime on the topic")
	}
}

// claimants are who takes the journal for theirs, as far as a follower has read it.
type claimants struct {
	own      bool                // a member of this group has written there
	stranger *journal.StrayError // the first sign of another group, if there is one
	first    bool                // and it came before any of this group's
	strays   bool                // there are records that nobody of this group wrote
}

func (c *claimants) read(rec index.Record) {
	c.own = c.own || journal.Sign(rec)
}

func (c *claimants) skipped(why *journal.StrayError) {
	c.strays = true
	if why.Sign && c.stranger == nil {
		c.stranger, c.first = why, !c.own
	}
}

// belongs refuses a journal that is another group's, or no journal at all, before this member appends anything. A group begins
// its journal with settings, and each snapshot is told of by a checkpoint: who has read the journal from its start goes by the
// first of these, who began with a snapshot must have read one of its own group if there is one of another.
func (s *Service) belongs() error {
	if s.admitted {
		return nil
	}
	var c claimants
	var began int64
	var inForce []byte
	f := s.shared.follower
	f.look(func(r *index.Replica) { c, began, inForce = f.claimants, f.disputes.began, r.Settings() })
	switch {
	case c.stranger != nil && (!c.own || began == 0 && c.first):
		return &StopError{
			What:   fmt.Sprintf("journal %s belongs to another consumer group than %s", s.shared.journalTopic, s.shared.params.Group),
			Err:    c.stranger,
			Remedy: "correct consumer.group, or name a journal.topic of this group's own",
		}
	case inForce == nil && c.strays && began == 0:
		return &StopError{
			What:   fmt.Sprintf("topic %s holds records, and none is of a journal", s.shared.journalTopic),
			Remedy: "correct journal.topic; if it is right, delete the topic: no group has begun its journal there",
		}
	}
	s.admitted = inForce != nil
	return nil
}
