package index

import "errors"

var (
	// ErrCorrupt is wrapped by errors about a state or segment that does not decode.
	ErrCorrupt = errors.New("corrupt index state")
	// ErrVersion is wrapped by errors about a sound state or segment of a format that this program does not read.
	ErrVersion = errors.New("captured by another version of unecho")
	// ErrKeys says that an entry's band keys have another length than the settings give.
	ErrKeys = errors.New("entry with foreign band keys")
)
