package outfile

import (
	"io"
	"sync"
	"sync/atomic"
)

const (
	blockBytes = 128 << 10 // what is written at once
	blocks     = 4         // that may wait to be written, so that a pause of the disk stops nobody
)

// behind writes what it is given later, in its order, on a goroutine of its own: who makes lines does not wait while
// others are written. The first error ends it. Everything but the goroutine is for one caller at a time.
type behind struct {
	out     io.Writer
	full    chan []byte    // closed by close; nil until there is a first block
	free    chan []byte    // blocks that serve again
	waiting sync.WaitGroup // blocks that are not written yet
	ended   sync.WaitGroup // the goroutine
	failed  atomic.Pointer[error]
}

// Write takes a copy of p. An error is that of an earlier block.
func (b *behind) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		if err := b.err(); err != nil {
			return n, err
		}
		block := append(b.block(), p[:min(len(p), blockBytes)]...)
		n, p = n+len(block), p[len(block):]
		b.waiting.Add(1)
		b.full <- block
	}
	return n, nil
}

// block returns an empty block, and begins the goroutine before the first one.
func (b *behind) block() []byte {
	if b.full == nil {
		b.full, b.free = make(chan []byte, blocks), make(chan []byte, blocks+1) // one is being written
		b.ended.Go(b.write)
	}
	select {
	case block := <-b.free:
		return block[:0]
	default:
		return make([]byte, 0, blockBytes)
	}
}

func (b *behind) write() {
	for block := range b.full {
		if b.failed.Load() == nil {
			if _, err := b.out.Write(block); err != nil {
				b.failed.Store(&err)
			}
		}
		select {
		case b.free <- block:
		default:
		}
		b.waiting.Done()
	}
}

func (b *behind) err() error {
	if err := b.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// wait waits until everything is written, and returns the first error.
func (b *behind) wait() error {
	b.waiting.Wait()
	return b.err()
}

// close writes what it has, and ends the goroutine. Nothing may be written afterwards.
func (b *behind) close() {
	if b.full != nil {
		close(b.full)
		b.ended.Wait()
	}
}
