package member

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/stop"
)

// MaxOvertaken bounds how often in a row a replica may be overtaken before it has caught up. A restore that was too
// slow so often will not be quicker, and each one reads a whole snapshot.
const MaxOvertaken = 5

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

// Overtakings counts, for the lives of a process, how often in a row they were overtaken.
type Overtakings int

// Another says that one more replica was overtaken, and stops the process when there were too many.
func (n *Overtakings) Another(f *Follower, err *OvertakenError) error {
	if f.CaughtUp() {
		*n = 0
	}
	if *n++; *n >= MaxOvertaken {
		return &stop.Error{
			What: fmt.Sprintf("restoring took too long %d times in a row: each time the other members had trimmed the journal "+
				"meanwhile",
				MaxOvertaken),
			Err:    err,
			Remedy: "raise snapshots.every for all members beyond what a restore takes: see how long \"snapshot restored\" took",
		}
	}
	f.Logger.Warn().Err(err).Int("try", int(*n)).Int("of", MaxOvertaken).
		Msg("the journal was trimmed under this replica: restoring again, from a newer snapshot")
	return nil
}
