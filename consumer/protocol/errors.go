package protocol

import "errors"

// After these errors of Judge the session takes the steps of an assignment again. ErrRouting ends the process instead.
var (
	// ErrEpoch says that the partition is in another epoch than the assignment.
	ErrEpoch = errors.New("the epoch has changed")
	// ErrOvertaken says that base has passed a document of the batch: somebody has forwarded it.
	ErrOvertaken = errors.New("base has passed a document")
	// ErrMoved says that the source has another document at an offset than was judged.
	ErrMoved = errors.New("another document was judged")
	// ErrUnfed says that no feed has reached a document yet.
	ErrUnfed = errors.New("a document was not fed yet")
	// ErrRecreated says that a topic of a plan was deleted and created again: it is another source.
	ErrRecreated = errors.New("the topic was created again")
	// ErrRouting says that another routing is in force than the session's: it forwards nothing any more, and its process
	// ends.
	ErrRouting = errors.New("another routing is in force")
)
