package files

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index/snapshot/durable"
)

// Trial is how a disk is measured.
type Trial struct {
	Readers int // at once
	Now     func() time.Time
	Done    func(share float64) // is told how far it is, by one goroutine at a time
}

// Speed is what a disk gives.
type Speed struct {
	At     string  // the directory in which it was measured
	Kind   string  // what that lies on, if it is no disk of this machine
	Pages  float64 // read at random places, a second
	Bytes  float64 // written and synced, a second
	Cached bool    // the file system cannot read past the system's cache, so what was read may have come from there
}

const (
	// trialPiece is as much as a segment has. It is written and synced at once.
	trialPiece = 16 << 20
	trialBytes = 256 << 20
	trialPart  = 16 // of the room that is free, one part is used
	// trialTime is how long is written, and how long is read, at most.
	trialTime = 1500 * time.Millisecond
)

// Measure measures the disk of a directory that is there, or may be made by Open. It writes a file of 256 MiB at most and
// reads its pages, each once, for some three seconds. The file has no name, so it is gone when Measure ends, or the process
// does. Another process may have the directory open. A disk that does not answer holds Measure beyond its context.
func Measure(ctx context.Context, path string, t Trial) (s Speed, err error) {
	if path, err = filepath.Abs(path); err == nil {
		s.At = path
		if _, missing := os.Stat(path); missing != nil {
			s.At = nearest(path)
		}
		s.Kind = kindOf(s.At)
		err = t.measure(ctx, &s)
	}
	if err != nil {
		return s, fmt.Errorf("measure the disk of %s: %w", path, durable.Explain(err, Owner{}.setting()))
	}
	return s, nil
}

func (t *Trial) measure(ctx context.Context, s *Speed) (err error) {
	room, err := free(s.At)
	if err != nil {
		return err
	}
	size := min(trialBytes, room/trialPart)
	if size < trialPiece {
		return fmt.Errorf("%w: %d bytes are free, and it takes %d", syscall.ENOSPC, room, trialPiece*trialPart)
	}
	f, err := os.CreateTemp(s.At, ownerName+".*.tmp") // a name that Open removes
	if err != nil {
		return err
	}
	_ = os.Remove(f.Name()) // where an open file cannot be removed, it is at the end
	defer func() { err = errors.Join(err, f.Close(), durable.IgnoreMissing(os.Remove(f.Name()))) }()
	if size, err = t.write(ctx, f, size, s); err != nil {
		return err
	}
	s.Cached = !direct(f)
	return t.read(ctx, f, int(size/PageBytes), s)
}

// write writes up to size bytes, and returns how many. Storage can neither compress them nor find that it has them.
func (t *Trial) write(ctx context.Context, f *os.File, size int64, s *Speed) (written int64, err error) {
	var seed [32]byte
	_, _ = cryptorand.Read(seed[:]) // it never fails, nor does that below
	unlike, piece, took := rand.NewChaCha8(seed), make([]byte, trialPiece), time.Duration(0)
	for written+trialPiece <= size && took < trialTime {
		_, _ = unlike.Read(piece)
		began := t.Now()
		_, err := f.Write(piece)
		if err = errors.Join(ctx.Err(), err); err == nil {
			err = f.Sync()
		}
		if err != nil {
			return written, err
		}
		written, took = written+trialPiece, took+t.Now().Sub(began)
		t.Done(min(took.Seconds()/trialTime.Seconds(), 1) / 2)
	}
	s.Bytes = float64(written) / max(took, 1).Seconds()
	return written, nil
}

// read reads pages of a file in random order.
func (t *Trial) read(ctx context.Context, f *os.File, pages int, s *Speed) error {
	order, began := rand.Perm(pages), t.Now()
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for k := range t.Readers {
		group.Go(func() error {
			page := alignedPage()
			for {
				took := t.Now().Sub(began)
				if k == 0 {
					done := max(took.Seconds()/trialTime.Seconds(), float64(next.Load())/float64(pages))
					t.Done((1 + min(done, 1)) / 2)
				}
				if took >= trialTime || ctx.Err() != nil {
					return ctx.Err()
				}
				i := int(next.Add(1)) - 1
				if i >= pages {
					return nil
				}
				if err := readFull(f, page, int64(order[i])*PageBytes); err != nil {
					return err
				}
			}
		})
	}
	err := group.Wait()
	s.Pages = float64(min(int(next.Load()), pages)) / max(t.Now().Sub(began), 1).Seconds()
	return err
}

// alignedPage returns a page of memory at a place where direct reads may put it.
func alignedPage() []byte {
	room := make([]byte, 2*PageBytes)
	shift := -int(uintptr(unsafe.Pointer(&room[0]))) & (PageBytes - 1)
	return room[shift : shift+PageBytes]
}
