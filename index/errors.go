package index

import "github.com/unecho/unecho/index/wire"

var (
	// ErrCorrupt is wrapped by errors about a state or segment that does not decode.
	ErrCorrupt = wire.ErrCorrupt
	// ErrVersion is wrapped by errors about a sound state or segment of a format that this program does not read.
	ErrVersion = wire.ErrVersion
)
