package protocol

// Ending is how a transaction is to end.
type Ending int

// Endings.
const (
	Commit Ending = iota
	Abort         // which rewinds to what is committed
)

// Close says how a transaction ends that was produced to: committing commits all that was polled, so an output that refused
// one record aborts, and so does a partition that was taken away (design 5).
func Close(refused, revoked bool) Ending {
	if refused || revoked {
		return Abort
	}
	return Commit
}

// Outcome is what is known of a commit.
type Outcome int

// Outcomes.
const (
	Sure      Outcome = iota // it took effect
	Undecided                // refused, perhaps after it took effect: the stable offsets tell, see Assignment.Stands
	Unknown                  // nothing is: the session is rebuilt
)

// Ended reads the answer to a commit. Anything but a clear yes leaves the outcome open: the client rewinds to the offset it
// believes committed, and the batch would go out twice (design 5).
func Ended(committed bool, err error) Outcome {
	switch {
	case err != nil:
		return Unknown
	case !committed:
		return Undecided
	}
	return Sure
}
