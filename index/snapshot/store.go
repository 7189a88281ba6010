package snapshot

import (
	"context"
	"time"
)

// Grace is how long a segment survives unnamed, by the store's clock: whoever put it has that long to publish.
const Grace = time.Hour

// Store keeps the snapshots of one index. Its methods may be called from several goroutines, and by several processes on
// the same backing. What the backing does wrong comes back as an error that says what happened and what to do; the
// state of the store is then as before the call or as after it. Where asking again may help, the error is ErrAway.
type Store interface {
	// PutSegment keeps data under SegmentName(data). On return it is durable. Putting a segment again is harmless, restarts its
	// grace, and mends one that was damaged. data is at most MaxBytes long and not kept.
	PutSegment(ctx context.Context, name string, data []byte) error
	// HasSegments returns those of names that are not stored, in the order given.
	HasSegments(ctx context.Context, names []string) (missing []string, err error)
	// Publish makes a snapshot visible, whole or not at all, its manifest read back before. Whoever calls it has read back the
	// segments. Under the collector's lock it checks that each segment is stored
	// with its length (else a *MissingSegmentsError) and that no newer manifest of the same journal is there (else
	// ErrStale). At an equal position it replaces the manifest: both describe the same state.
	Publish(ctx context.Context, m Manifest) error
	// Manifests lists what is published, newest first (see SortInfos). Damaged manifests are listed too.
	Manifests(ctx context.Context) ([]Info, error)
	// Manifest reads one: ErrNoManifest, *CorruptError and ErrNewerFormat are the answers to expect besides.
	Manifest(ctx context.Context, at Position) (Manifest, error)
	// Segment reads one, its checksum verified: ErrMissingSegment and *CorruptError are the answers to expect besides. The
	// memory is the caller's.
	Segment(ctx context.Context, name string) ([]byte, error)
	// Collect keeps the newest manifests (see Expired; keep >= 1) and deletes segments that no manifest names and whose grace
	// is over.
	Collect(ctx context.Context, keep int) (Collected, error)
	// Shared says whether all members of the group see this store: only then may the journal be trimmed.
	Shared() bool
	// Close ends the store. Leases of one that is a Leaser are released first, by whoever holds them.
	Close() error
}

// Leaser hands out leases. A Store may be one; nothing of its own needs any. Without leases each member is named by its
// configuration, and members may write the same snapshot at once.
type Leaser interface {
	// Lease takes an exclusive right by name, across processes, without waiting: a *LeasedError says who has it. Within one
	// Leaser, too, a name is leased once.
	Lease(ctx context.Context, name string) (Lease, error)
}

// Lease is an exclusive right to a name. It ends with Release, with the process, or when the store takes it away.
type Lease interface {
	// Release gives the name back; when it returns, another may lease it. A second call does nothing.
	Release() error
	// Lost is closed when the lease ended without Release: someone else may hold the name from now on.
	Lost() <-chan struct{}
}

// Collected counts what Collect deleted.
type Collected struct {
	Manifests int
	Segments  int
	Bytes     int64 // of the segments, as stored
}
