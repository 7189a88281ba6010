package consumer

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
)

// maxOvertaken bounds how often a replica is overtaken in a row without having caught up in between: what was too slow so
// often will not be quicker, and each time it reads a whole snapshot.
const maxOvertaken = 5

// overtakenError ends a replica under which the journal was trimmed: its restore, or a pause of the whole process, took longer
// than the other members take for two snapshots. One restored from a newer snapshot goes on.
type overtakenError struct {
	next, start int64
	err         error
}

// Error says what is missing.
func (e *overtakenError) Error() string {
	return fmt.Sprintf("the journal begins at %d by now, this replica needs it from %d: %v", e.start, e.next, e.err)
}

// Unwrap is what the broker answered.
func (e *overtakenError) Unwrap() error { return e.err }

// trimmedUnder says that the journal was trimmed under the replica, if that is why it could not be followed: what it lacks is
// missing at the journal's beginning, and was deleted because newer snapshots hold it.
func (sh *shared) trimmedUnder(ctx context.Context, err error) error {
	if !errors.Is(err, kerr.OffsetOutOfRange) {
		return err
	}
	start, _, listed := sh.journalBounds(ctx)
	if next := sh.follower.next(); listed == nil && next < start {
		return &overtakenError{next: next, start: start, err: err}
	}
	return err
}

// overtakings counts, for the lives of a process, how often in a row they were overtaken.
type overtakings int

// another says that one more replica was overtaken, and stops the process when there were too many.
func (n *overtakings) another(sh *shared, err *overtakenError) error {
	if sh.follower.caughtUp.Load() {
		*n = 0
	}
	if *n++; *n >= maxOvertaken {
		return &StopError{
			What: fmt.Sprintf("restoring took too long %d times in a row: each time the other members had trimmed the journal meanwhile",
				maxOvertaken),
			Err:    err,
			Remedy: "raise snapshot.every for all members beyond what a restore takes: see how long \"snapshot restored\" took",
		}
	}
	sh.logger.Warn().Err(err).Int("try", int(*n)).Int("of", maxOvertaken).
		Msg("the journal was trimmed under this replica: restoring again, from a newer snapshot")
	return nil
}
