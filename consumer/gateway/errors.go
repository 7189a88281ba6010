package gateway

import "errors"

// Reasons why a document was not taken.
var (
	// ErrBusy says that too many documents are on their way to the broker. None of this one is.
	ErrBusy = errors.New("too many documents are on their way to the broker")
	// ErrAway says that the broker has not acknowledged the document. It may be in the source, or come there.
	ErrAway = errors.New("the broker has not acknowledged the document in time: it may be in the source or not")
	// ErrTooLarge says that the broker takes no document of this size.
	ErrTooLarge = errors.New("the document is larger than what the broker takes")
	// ErrRefused says that the broker refuses the document for another reason.
	ErrRefused = errors.New("the broker refuses the document")
	// ErrUnread says that what the document is read with does not answer: a registry of schemas.
	ErrUnread = errors.New("the document cannot be read now")
)
