package audit

import "errors"

var (
	// ErrTrimmed says that the journal's head is gone, so that the verdicts cannot be replayed.
	ErrTrimmed = errors.New("the journal does not begin at offset 0: its head was trimmed, and without it the verdicts cannot be replayed")
	// ErrSettings says that the journal was written under other settings than those given.
	ErrSettings = errors.New("the journal's settings are not the given ones: audit with the configuration of its members")
)
