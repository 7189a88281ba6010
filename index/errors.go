package index

import "errors"

var (
	// ErrCorrupt is wrapped by errors about a state or segment that does not decode.
	ErrCorrupt = errors.New("corrupt index state")
	// ErrVersion is wrapped by errors about a sound state or segment of a format that this program does not read.
	ErrVersion = errors.New("captured by another version of unecho")
	// ErrKeys is returned for an entry whose band keys do not have the length that the settings give.
	ErrKeys = errors.New("entry with foreign band keys")
)
