package snapshot

import (
	"context"
	"time"
)

// Grace is how long a segment is kept that no manifest names, by the store's clock: its writer has that long to
// publish.
const Grace = time.Hour

// Fetcher is what segments are fetched from.
type Fetcher interface {
	// Segment reads one and verifies its checksum. Expect ErrMissingSegment and *CorruptError. The caller owns the
	// memory.
	Segment(ctx context.Context, name string) ([]byte, error)
}

// Store keeps the snapshots of one index. Its methods may be called from several goroutines, and by several processes
// on the same backing. An error says what happened and what to do. After an error the store is either as before the
// call or as after it. If a later attempt may succeed, the error is ErrAway.
type Store interface {
	Fetcher
	// PutSegment stores data under SegmentName(data). When it returns, data is durable. Putting a segment again is
	// harmless, restarts its grace, and repairs a damaged one. data is at most MaxBytes long, and is not kept in
	// memory.
	PutSegment(ctx context.Context, name string, data []byte) error
	// HasSegments returns those names whose segments are not stored, in the order given.
	HasSegments(ctx context.Context, names []string) (missing []string, err error)
	// Publish makes a snapshot visible, wholly or not at all, after its manifest was read back. The caller must have
	// read back the segments. Under the collector's lock, Publish checks that each segment is stored with its length
	// (else it returns a *MissingSegmentsError), and that there is no newer manifest of the same journal (else
	// ErrStale). It replaces a manifest at an equal position: both describe the same state.
	Publish(ctx context.Context, m Manifest) error
	// Manifests lists the published snapshots, newest first (see SortInfos). Damaged manifests are listed too.
	Manifests(ctx context.Context) ([]Info, error)
	// Manifest reads one. Expect ErrNoManifest, *CorruptError and ErrNewerFormat.
	Manifest(ctx context.Context, at Position) (Manifest, error)
	// Collect keeps the newest manifests (see Expired; keep >= 1), and deletes segments that no manifest names and
	// whose grace is over.
	Collect(ctx context.Context, keep int) (Collected, error)
	// Close closes the store. If it is a Leaser, the holders of its leases must have released them before.
	Close() error
}

// Leaser grants leases. A Store may be a Leaser; the store itself needs no lease. Without leases each member is named
// by its configuration, and members may write the same snapshot at once.
type Leaser interface {
	// Lease takes an exclusive right to a name, across processes, without waiting. If another has it, a *LeasedError
	// says who. A name is leased only once within one Leaser, too.
	Lease(ctx context.Context, name string) (Lease, error)
}

// Server is a Store on a server that says what it is and what time it has. The doctor compares the clocks.
type Server interface {
	Server(ctx context.Context) (name string, now time.Time, err error)
}

// Lease is an exclusive right to a name. It ends with Release, with the process, or when the store takes it away.
type Lease interface {
	// Release gives the name back. When it returns, another may lease it. A second call does nothing.
	Release() error
	// Lost returns a channel that is closed when the lease ends without Release. Another may hold the name from then
	// on.
	Lost() <-chan struct{}
}

// Collected counts what Collect deleted.
type Collected struct {
	Manifests int
	Segments  int
	Bytes     int64 // bytes of the deleted segments, as stored
}
