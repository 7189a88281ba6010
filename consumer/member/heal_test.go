package member

import (
	"context"
	"errors"
	"path"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/snapshot"
)

// refusing is a store that gives no segment, for a reason.
type refusing struct {
	snapshot.Store
	err error
}

// Segment implements snapshot.Store.
func (s refusing) Segment(context.Context, string) ([]byte, error) { return nil, s.err }

// fails has all reads of a segment fail while bad is set. It returns the segment's name.
func (b *shelved) fails(bad *atomic.Bool) (name string) {
	b.t.Helper()
	b.must(b.old.fileAll(b.t.Context()))
	for name = range b.replica.Files().Names() {
		break
	}
	bad.Store(true)
	b.disk.Before = func(c filestest.Call) error {
		if bad.Load() && c.Op == "read" && path.Base(c.Path) == name {
			return syscall.EIO
		}
		return nil
	}
	return name
}

// TestFileThatIsNotHealed: a file that a snapshot needs, and that cannot be healed, is told until it can be read again.
func TestFileThatIsNotHealed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newShelved(t)
		refused := errors.New("403 forbidden")
		b.Store = refusing{err: refused}
		b.judges(mostUnfiled)
		var bad atomic.Bool
		name := b.fails(&bad)
		stop := b.keeps()
		if _, err := (healed{b.old}).Read(t.Context(), name); !errors.Is(err, refused) {
			t.Errorf("a snapshot reads it with error %v", err)
		}
		time.Sleep(3 * tidyEvery)
		if f := b.Counters.FileErr.Load(); f == nil || !errors.Is(f.Err, syscall.EIO) {
			t.Errorf("it cannot be read, and %v is told", f)
		}
		bad.Store(false)
		time.Sleep(2 * tidyEvery)
		if f := b.Counters.FileErr.Load(); f != nil {
			t.Errorf("it can be read again, and %v is told", f.Err)
		}
		stop()
	})
}
