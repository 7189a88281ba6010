package index

import (
	"errors"

	"github.com/unecho/unecho/index/wire"
)

var (
	// ErrCorrupt is wrapped by errors about a state or segment that does not decode.
	ErrCorrupt = wire.ErrCorrupt
	// ErrVersion is wrapped by errors about a sound state or segment of a format that this program does not read.
	ErrVersion = wire.ErrVersion
	// ErrKeys is returned for an entry whose band keys do not have the length that the settings give.
	ErrKeys = errors.New("entry with foreign band keys")
)
