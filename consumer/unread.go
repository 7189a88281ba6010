package consumer

import (
	"context"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
)

// How long a repeated append waits, the first and the later ones.
const (
	unreadPause    = 20 * time.Millisecond
	maxUnreadPause = time.Second
)

// beforeRepeat comes before an append whose like the journal took so many times before, and no member could read. One bad bit is
// repeated at once. A machine that damages all it appends does not fill the journal.
func (s *shared) beforeRepeat(ctx context.Context, times int) error {
	if times == 0 {
		return nil
	}
	if !protocol.AppendAgain(times) {
		return s.unreadable()
	}
	s.logger.Warn().Int("times", times).Msg("entries that the journal took have no verdict, because nobody can read them: appending them again")
	return pause(ctx, min(maxUnreadPause, unreadPause<<times))
}

// unreadable ends a process that has appended in vain for too often.
func (s *shared) unreadable() *StopError {
	return &StopError{
		What: "no member can read what this one appends to journal " + s.journalTopic,
		Remedy: "run the member on another machine: this one's memory is to be suspected; the others take over its partitions. " +
			"If they end so as well, look at the journal's broker",
	}
}
