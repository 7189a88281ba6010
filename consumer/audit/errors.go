package audit

import (
	"errors"

	"github.com/unecho/unecho/consumer/replay"
)

var (
	// ErrTrimmed says that the journal's head is gone and no snapshot replaces it, so that verdicts cannot be replayed.
	ErrTrimmed = replay.ErrTrimmed
	// ErrSettings says that the journal was written under other settings than those given.
	ErrSettings = replay.ErrSettings
	// ErrOvertaken says that the members trimmed the journal while it was read.
	ErrOvertaken = errors.New("its members trimmed it faster than it was read: audit again, or raise snapshots.every " +
		"meanwhile")
)
