package member

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// refusing is a store that gives no segment, for a reason.
type refusing struct {
	snapshot.Store
	err error
}

// Segment implements snapshot.Store.
func (s refusing) Segment(context.Context, string) ([]byte, error) { return nil, s.err }

// fails has all reads of segments fail while bad is set. It returns the name of one.
func (b *shelved) fails(bad *atomic.Bool) (name string) {
	b.t.Helper()
	b.must(b.old.fileAll(b.t.Context()))
	for name = range b.replica.Files().Names() {
		break
	}
	bad.Store(true)
	b.disk.Before = func(c filestest.Call) error {
		if bad.Load() && c.Op == "read" && len(path.Base(c.Path)) == 64 {
			return syscall.EIO
		}
		return nil
	}
	return name
}

// TestFileThatIsNotHealed: a file that a snapshot or a search needs, and that cannot be healed, is told until it is read again.
func TestFileThatIsNotHealed(t *testing.T) {
	t.Parallel()
	for who, reads := range map[string]func(b *shelved, name string) error{
		"a snapshot": func(b *shelved, name string) error { _, err := healed{b.old}.Read(b.t.Context(), name); return err },
		"a search":   func(b *shelved, _ string) error { _, err := b.searches(b.t.Context()); return err },
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newShelved(t)
			refused := errors.New("403 forbidden")
			b.Store = refusing{err: refused}
			b.judges(mostUnfiled)
			var bad atomic.Bool
			name := b.fails(&bad)
			stop := b.keeps()
			if err := reads(b, name); !errors.Is(err, refused) {
				t.Errorf("%s reads it with error %v", who, err)
			}
			time.Sleep(3 * tidyEvery)
			if f := b.Counters.FileErr.Load(); f == nil || !errors.Is(f.Err, syscall.EIO) {
				t.Errorf("%s cannot read it, and %v is told", who, f)
			}
			bad.Store(false)
			if err := reads(b, name); err != nil || b.Counters.FileErr.Load() != nil {
				t.Errorf("%s reads it again with error %v, and %v is told", who, err, b.Counters.FileErr.Load())
			}
			stop()
		})
	}
}

// TestAPageIsNoFile: a file counts as whole when all of it was read, not when a page was.
func TestAPageIsNoFile(t *testing.T) {
	t.Parallel()
	b := newShelved(t)
	b.judges(mostUnfiled)
	b.must(b.old.fileAll(t.Context()))
	for _, page := range []int{0, window.Whole} {
		for name := range b.replica.Files().Names() {
			b.old.ails(name, syscall.EIO)
			w := window.Want{File: name, Page: page}
			b.must(b.old.readSought(t.Context(), sought{w: b.replica.Files().Sounder(name)}, map[window.Want][]byte{}, nil))
			if f := b.Counters.FileErr.Load(); (f == nil) != (page == window.Whole) {
				t.Errorf("page %d is read, and %v is told", page, f)
			}
		}
	}
}

// TestTroubleOfAFileEnds: that a file cannot be read is told no more when its documents have left.
func TestTroubleOfAFileEnds(t *testing.T) {
	t.Parallel()
	b := newShelved(t)
	b.judges(mostUnfiled)
	b.must(b.old.fileAll(t.Context()))
	for name := range b.replica.Files().Names() {
		for _, of := range []string{name, snapshot.SegmentName([]byte("left"))} {
			b.old.ails(of, syscall.EIO)
			b.must(b.old.tidy())
			if f := b.Counters.FileErr.Load(); (f != nil) != (of == name) {
				t.Errorf("of %s, %v is told", of, f)
			}
		}
	}
}

// TestTroubleOfABlockStays: while a segment of it lies in no file no block is due, and its trouble is no less.
func TestTroubleOfABlockStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newShelved(t)
		var said bytes.Buffer
		b.Logger = zerolog.New(zerolog.SyncWriter(&said))
		b.judges(2 * mostUnfiled)
		b.must(b.old.fileAll(t.Context()))
		var full atomic.Bool
		full.Store(true)
		b.disk.Before = func(c filestest.Call) error {
			if full.Load() && c.Op == "create" {
				return syscall.ENOSPC
			}
			return nil
		}
		stop := b.keeps()
		time.Sleep(2 * filePause)
		b.must(b.applies(&index.Erase{Header: b.run.Header, Targets: []entry.Position{{Offset: 5}}}))
		time.Sleep(2 * filePause)
		if n := strings.Count(said.String(), "blocks of old documents"); n != 1 || b.Counters.FileErr.Load() == nil {
			t.Errorf("the disk is full, and the log says\n%s", &said)
		}
		full.Store(false)
		time.Sleep(2 * filePause)
		stop()
		if !strings.Contains(said.String(), "blocks of old documents wait no more") || b.Counters.FileErr.Load() != nil {
			t.Errorf("there is room, and the log says\n%s", &said)
		}
	})
}

// TestTroubleOfABlockEnds: that a block cannot be written is told no more when none is due any more.
func TestTroubleOfABlockEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newShelved(t)
		b.judges(2 * mostUnfiled)
		b.disk.Before = func(c filestest.Call) error {
			if c.Op == "create" && strings.Contains(c.Path, ".block") {
				return syscall.EIO
			}
			return nil
		}
		stop := b.keeps()
		time.Sleep(10 * filePause)
		if f := b.Counters.FileErr.Load(); f == nil || !errors.Is(f.Err, syscall.EIO) {
			t.Errorf("a block cannot be written, and %v is told", f)
		}
		b.Look(func(r *index.Replica) { r.Files().BlocksOf(window.Sizes{Run: 1000, Merge: 2, Parts: 8}) })
		time.Sleep(2 * filePause)
		if f := b.Counters.FileErr.Load(); f != nil {
			t.Errorf("no block is due, and %v is told", f.Err)
		}
		stop()
	})
}

// searches visits all documents that lie in files, and returns how many there are.
func (b *shelved) searches(ctx context.Context) (n int, err error) {
	var walk index.Walk
	err = b.Search(ctx, func(r *index.Replica) bool {
		return r.Step(&walk, 10, func(*index.Remembered) { n++ })
	})
	return n, err
}

// TestSearchHeals: a search heals a file that cannot be read for the moment, and goes on. If it is lost the replica's time ends.
func TestSearchHeals(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"for the moment": false, "lost": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newShelved(t)
				b.Store = refusing{err: &snapshot.MissingSegmentsError{}}
				b.judges(mostUnfiled)
				var bad atomic.Bool
				b.fails(&bad)
				fails := b.disk.Before
				b.disk.Before = func(c filestest.Call) error {
					err := fails(c)
					bad.Store(lost || err == nil && bad.Load())
					return err
				}
				kept := make(chan error, 1)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() { kept <- b.old.keep(ctx) }()
				n, err := b.searches(t.Context())
				if errors.Is(err, ErrFileLost) != lost || err == nil && n != mostUnfiled || b.Counters.FileErrs.Load() == 0 {
					t.Errorf("%d documents are found, error %v", n, err)
				}
				if !lost {
					cancel()
				}
				if err := <-kept; errors.Is(err, ErrFileLost) != lost {
					t.Errorf("files are kept until %v", err)
				}
			})
		})
	}
}

// TestSearchOfAFileThatHangs: a search ends with its context while a read does not return. The log names the file once.
func TestSearchOfAFileThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newShelved(t)
		var said bytes.Buffer
		b.Logger = zerolog.New(zerolog.SyncWriter(&said))
		b.judges(mostUnfiled)
		var bad atomic.Bool
		b.fails(&bad)
		answers := make(chan struct{})
		fails := b.disk.Before
		b.disk.Before = func(c filestest.Call) error {
			if fails(c) != nil {
				<-answers
			}
			return nil
		}
		for range readsSought + 1 {
			ctx, cancel := context.WithTimeout(t.Context(), 2*haltsAfter)
			if _, err := b.searches(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the search ends with %v", err)
			}
			cancel()
		}
		synctest.Wait() // until the log is written
		n := 0
		for name := range b.replica.Files().Names() {
			n += strings.Count(said.String(), name)
		}
		if n != readsSought {
			t.Errorf("the log says %s", &said)
		}
		close(answers)
		if n, err := b.searches(t.Context()); err != nil || n != mostUnfiled {
			t.Errorf("the disk answers again: %d documents are found, error %v", n, err)
		}
	})
}
