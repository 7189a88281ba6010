package member

import (
	"context"
	"errors"
	"fmt"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/stop"
)

// MaxLives bounds how many replicas of a process in a row may come to nothing. One more will not fare better, and each
// restore reads a whole snapshot.
const MaxLives = 5

// OvertakenError ends a replica under which the journal was trimmed: its restore, or a pause of the whole process,
// took longer than the other members take for two snapshots. One restored from a newer snapshot goes on.
type OvertakenError struct {
	next, start int64
	err         error
}

// Error says what is missing.
func (e *OvertakenError) Error() string {
	return fmt.Sprintf("the journal begins at %d by now, this replica needs it from %d: %v", e.start, e.next, e.err)
}

// Unwrap is what the broker answered.
func (e *OvertakenError) Unwrap() error { return e.err }

// trimmedUnder returns an OvertakenError if the journal could not be followed because it was trimmed under the
// replica. The records that the replica lacks were deleted at the journal's beginning, because newer snapshots hold
// them.
func (f *Follower) trimmedUnder(ctx context.Context, err error) error {
	if err == nil || !journal.OutOfRange(err) {
		return err
	}
	start, _, listed := f.Log.Range(ctx)
	if next := f.Next(); listed == nil && next < start {
		return &OvertakenError{next: next, start: start, err: err}
	}
	return err
}

// Lives counts, for the replicas of a process, how many in a row came to nothing.
type Lives struct {
	inVain  int
	reached int64 // the journal offset that the replicas came to
}

// Another says that one more replica is to be restored, because this one was overtaken or has lost a file. It stops the process
// when too many in a row were overtaken before they had caught up, or came no further in the journal. Any other error is
// returned as it is.
func (l *Lives) Another(f *Follower, err error) (again bool, _ error) {
	overtaken, lost := errors.As(err, new(*OvertakenError)), errors.Is(err, ErrFileLost)
	if !overtaken && !lost {
		return false, err
	}
	next, own := f.Next(), f.caughtUp.Load() || f.From() <= l.reached // else another member's snapshot came further
	if overtaken && f.caughtUp.Load() || lost && own && next > l.reached {
		l.inVain = 0
	}
	l.reached = max(l.reached, next)
	l.inVain++
	switch stops := l.inVain >= MaxLives; {
	case stops && lost:
		return false, &stop.Error{
			What: fmt.Sprintf("old documents could not be read %d times in a row at journal offset %d, though each time the replica was restored",
				MaxLives, l.reached),
			Err: err, Remedy: "replace the disk of " + f.Files.Setting() + ", or name a directory on another one, and start again",
		}
	case stops:
		return false, &stop.Error{
			What: fmt.Sprintf("restoring took too long %d times in a row: each time the other members had trimmed the journal "+
				"meanwhile",
				MaxLives),
			Err:    err,
			Remedy: "raise snapshots.every for all members beyond what a restore takes: see how long \"snapshot restored\" took",
		}
	case lost:
		f.Logger.Error().Err(err).Int("try", l.inVain).Int("of", MaxLives).
			Str("remedy", "none is needed; if it comes again, replace the disk of "+f.Files.Setting()).
			Msg("a file of old documents is lost: this process restores the newest snapshot, and replays")
	default:
		f.Logger.Warn().Err(err).Int("try", l.inVain).Int("of", MaxLives).
			Msg("the journal was trimmed under this replica: restoring again, from a newer snapshot")
	}
	return true, nil
}
