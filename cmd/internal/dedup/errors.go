package dedup

import (
	"errors"
	"strings"
)

// ErrMemory is returned if the documents exceed the memory bound: from then on, old ones would be forgotten and copies
// missed.
var ErrMemory = errors.New("the index outgrew its memory")

// ErrForeign is returned for a snapshot that is not an index written by Index.Save.
var ErrForeign = errors.New("it is the snapshot of a service, which belongs to its journal, and not an index of files")

// errChanged is returned if documents that are read again are not those that were read before.
var errChanged = errors.New("the files, or their order, were changed")

// SettingsError is returned for an index that was saved under other settings.
type SettingsError struct {
	Lines []string // a line for each setting that differs
}

func (e *SettingsError) Error() string {
	return "it was saved under other settings:\n    " + strings.Join(e.Lines, "\n    ")
}
