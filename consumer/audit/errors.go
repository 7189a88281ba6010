package audit

import "errors"

var (
	// ErrTrimmed says that the journal's head is gone and no snapshot replaces it, so that verdicts cannot be replayed.
	ErrTrimmed = errors.New("its head was trimmed, and there is no whole snapshot to begin with: name the store that " +
		"its members use")
	// ErrSettings says that the journal was written under other settings than those given.
	ErrSettings = errors.New("the journal's settings are not the given ones: audit with the configuration of its members")
	// ErrOvertaken says that the members trimmed the journal while it was read.
	ErrOvertaken = errors.New("its members trimmed it faster than it was read: audit again, or raise snapshot.every " +
		"meanwhile")
)
