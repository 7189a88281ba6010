package dedup

import (
	"errors"
	"strings"
)

// ErrMemory says that the documents do not fit the bound: from here on, old ones would be forgotten and copies missed.
var ErrMemory = errors.New("the index outgrew its memory")

// ErrForeign says that a snapshot is not an index that Index.Save wrote.
var ErrForeign = errors.New("it is the snapshot of a service, which belongs to its journal, and not an index of files")

// SettingsError says that an index was saved under other settings.
type SettingsError struct {
	Lines []string // a line for each setting that differs
}

func (e *SettingsError) Error() string {
	return "it was saved under other settings:\n    " + strings.Join(e.Lines, "\n    ")
}
