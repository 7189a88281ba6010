package journal

import (
	"sync"
	"time"
)

// clock compares this machine's clock with that of the journal's broker. The broker stamps a record that is appended here
// after the append has begun and before it has ended, so a stamp outside of that shows that one of the clocks is off.
type clock struct {
	mu     sync.Mutex
	stamps [64]struct{ offset, at int64 } // of the records read last, in ms
	open   span
	ahead  time.Duration
	known  bool
	at     time.Time // when they were last compared
	told   time.Time // when it was last warned of
}

// span is an append by this machine's clock, in ms since 1970.
type span struct{ last, began, ended int64 }

// Clocks that differ by more than clocksDiffer are warned of, and not again within warnAgain.
const (
	clocksDiffer = time.Minute
	warnAgain    = 10 * time.Minute
)

// Stamped notes the broker's time of a record that was read, in ms since 1970.
func (l *Log) Stamped(offset, at int64) {
	c := &l.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.stamps[offset%int64(len(c.stamps))]
	s.offset, s.at = offset, at
	if c.open.ended > 0 && c.open.last == offset {
		l.compare(at)
	}
}

// appended notes an append. Its last record may have been read already.
func (l *Log) appended(s span) {
	c := &l.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = s
	if at := c.stamps[max(0, s.last)%int64(len(c.stamps))]; at.at > 0 && at.offset == s.last {
		l.compare(at.at)
	}
}

// compare compares the open append with the broker's time. The caller holds the lock.
func (l *Log) compare(at int64) {
	c := &l.clock
	ahead := max(0, c.open.began-at) + min(0, c.open.ended-at)
	now := time.Now()
	c.open, c.ahead, c.known, c.at = span{}, time.Duration(ahead)*time.Millisecond, true, now
	if c.ahead.Abs() > clocksDiffer && (c.told.IsZero() || now.Sub(c.told) >= warnAgain) {
		c.told = now
		l.logger.Warn().Dur("ahead_ms", c.ahead).
			Msg("this machine's clock and that of the journal's broker differ: synchronise both, unecho doctor says more")
	}
}

// Ahead returns by how much this machine's clock is at least ahead of that of the journal's broker; less than 0: behind.
// It is 0 if the duration of an append explains the difference. known is false before the first append.
func (l *Log) Ahead() (by time.Duration, known bool) {
	l.clock.mu.Lock()
	defer l.clock.mu.Unlock()
	return l.clock.ahead, l.clock.known
}

// Compared says whether the clocks were compared within so long before now. A clock of this machine that was set by more
// since then is not, so the readings count, and not the time between them.
func (l *Log) Compared(now time.Time, within time.Duration) bool {
	l.clock.mu.Lock()
	defer l.clock.mu.Unlock()
	return l.clock.known && now.Round(0).Sub(l.clock.at.Round(0)).Abs() <= within
}
