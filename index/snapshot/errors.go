package snapshot

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that callers branch on.
var (
	// ErrNewerFormat: a later version of unecho wrote this. It is sound; falling back to an older snapshot would lose
	// its content.
	ErrNewerFormat = errors.New("written by a newer unecho")
	// ErrMissingSegment: a manifest names a segment that is not stored (or not whole): put it again, then publish
	// again. It comes as a *MissingSegmentsError where the names are known.
	ErrMissingSegment = errors.New("segment is not stored")
	// ErrNoManifest: there is no manifest at this position (any more).
	ErrNoManifest = errors.New("no such manifest")
	// ErrNoStore: nothing was ever stored there.
	ErrNoStore = errors.New("there are no snapshots")
	// ErrStale: a newer snapshot of the same journal is already published. Nothing is lost.
	ErrStale = errors.New("a newer snapshot is already published")
	// ErrAway: the store does not answer now, for example while its server is restarted. A later attempt may succeed.
	ErrAway = errors.New("the store is away")
	// ErrLeased is what *LeasedError wraps.
	ErrLeased = errors.New("leased by another")
)

// CorruptError says where stored bytes differ from what was written. The remedy is an older snapshot.
type CorruptError struct {
	Name   string // manifest or segment, and where it is stored
	Offset int64  // offset in the envelope, in bytes; -1 where none is known
	Err    error
}

// Error names the place.
func (e *CorruptError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s is corrupt: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("%s is corrupt at byte %d: %v", e.Name, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// Locate adds the name under which a store keeps the bytes to a CorruptError of Open or DecodeManifest. Other errors
// get it as a prefix.
func Locate(err error, name string) error {
	var corrupt *CorruptError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &corrupt):
		return &CorruptError{Name: name, Offset: corrupt.Offset, Err: corrupt.Err}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Damaged says whether err means that stored bytes are missing, or differ from what was written. An older snapshot
// helps then, or writing again.
func Damaged(err error) bool {
	var corrupt *CorruptError
	return errors.As(err, &corrupt) || errors.Is(err, ErrMissingSegment) || errors.Is(err, ErrNoManifest)
}

// MissingSegmentsError lists segments that a manifest names and the store lacks.
type MissingSegmentsError struct {
	Names []string
}

// Error lists the names.
func (e *MissingSegmentsError) Error() string {
	const most = 3
	if n := len(e.Names); n > most {
		return fmt.Sprintf("%v: %s and %d more", ErrMissingSegment, strings.Join(e.Names[:most], ", "), n-most)
	}
	return fmt.Sprintf("%v: %s", ErrMissingSegment, strings.Join(e.Names, ", "))
}

// Unwrap returns ErrMissingSegment.
func (e *MissingSegmentsError) Unwrap() error { return ErrMissingSegment }

// LeasedError says who holds a lease.
type LeasedError struct {
	Name string
	By   string // process and host, as far as the store knows them; for people
}

// Error names the holder.
func (e *LeasedError) Error() string {
	if e.By == "" {
		return fmt.Sprintf("%s: %v", e.Name, ErrLeased)
	}
	return fmt.Sprintf("%s: %v: %s", e.Name, ErrLeased, e.By)
}

// Unwrap returns ErrLeased.
func (e *LeasedError) Unwrap() error { return ErrLeased }
