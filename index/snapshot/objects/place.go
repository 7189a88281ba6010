// Package objects keeps snapshots as objects that have names, wherever those lie: s3 has them in a bucket, localdir as files in
// a directory. It decides what is stored under which name, when a snapshot appears, and what is deleted.
//
//	segments/NAME   a segment, named by its content
//	manifests/NAME  a published snapshot, named by its position
package objects

import (
	"context"
	"errors"
	"time"
)

// What the names of all segments and of all manifests begin with.
const (
	Segments  = "segments/"
	Manifests = "manifests/"
)

// ErrAbsent says that there is no such object.
var ErrAbsent = errors.New("no such object")

// Object is one in a list.
type Object struct {
	Name  string
	Bytes int64
	At    time.Time // when it was written, by the clock of the place
}

// Place is where the objects of one index lie.
type Place interface {
	// Put writes an object, wholly or not at all. When it returns, the object is durable.
	Put(ctx context.Context, name string, data []byte) error
	// Read reads an object that has at most that many bytes. Expect ErrAbsent.
	Read(ctx context.Context, name string, most int64) ([]byte, error)
	// Head reads that many bytes from the beginning of an object, or all if there are fewer. Expect ErrAbsent.
	Head(ctx context.Context, name string, bytes int64) ([]byte, error)
	// List lists the objects whose names begin with Segments or with Manifests.
	List(ctx context.Context, prefix string) ([]Object, error)
	// Delete deletes an object. When it returns, a manifest is durably gone.
	Delete(ctx context.Context, name string) error
	// Exclusively runs fn under the collector's lock, which Publish and Collect share. The context that fn gets ends while
	// the lock is still held.
	Exclusively(ctx context.Context, fn func(ctx context.Context) error) error
	// Now returns the time by the clock of the place. Call it after another method: some places tell it with their answers.
	Now() (time.Time, error)
	// Called is what errors call an object.
	Called(name string) string
	// Wrap adds what was done, and a remedy, to an error. It returns nil for nil.
	Wrap(err error, format string, args ...any) error
}
