package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/unecho/unecho/index/block"
	"github.com/unecho/unecho/index/snapshot"
)

// PageBytes is the length of a page of a file; the last page may be shorter.
const PageBytes = block.PageBytes

// ReadPage reads a page of a segment or a block into the memory of into, which may be too small or nil, and returns it.
// It has PageBytes, or fewer at the end of the file. It is not verified: a flipped bit is for the caller to find. Expect
// snapshot.ErrMissingSegment or ErrMissingBlock, and a *snapshot.CorruptError if the file ends before the page.
func (d *Directory) ReadPage(name string, page int, into []byte) ([]byte, error) {
	open := d.openSegment
	if ValidBlockName(name) {
		open = d.openBlock
	}
	h, err := d.handles.acquire(name, open)
	if err == nil {
		into, err = h.readPage(page, into)
		d.handles.release(h)
	}
	if err != nil {
		return nil, fmt.Errorf("read page %d of %s: %w", page, d.at(name), d.explain(err))
	}
	return into, nil
}

func (h *handle) readPage(page int, into []byte) ([]byte, error) {
	start := int64(page) * PageBytes
	n := min(PageBytes, h.size-start)
	if start < 0 || n <= 0 {
		return nil, &snapshot.CorruptError{Name: h.name, Offset: h.size, Err: errors.New("it ends before that page")}
	}
	into = slices.Grow(into[:0], PageBytes)[:n]
	return into, readFull(h.file, into, start)
}

// Read reads a segment and verifies it against its name. Expect snapshot.ErrMissingSegment and *snapshot.CorruptError.
func (d *Directory) Read(ctx context.Context, name string) ([]byte, error) {
	data, err := d.read(ctx, name)
	d.handles.drop(name) // what is open may be another file of that name, or stale
	if err != nil {
		return nil, fmt.Errorf("read segment %s: %w", d.at(name), d.explain(err))
	}
	return data, nil
}

func (d *Directory) read(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, size, err := d.openSegment(name)
	if err != nil {
		return nil, err
	}
	data, err := readWhole(f, size)
	if err == nil && snapshot.SegmentName(data) != name {
		err = &snapshot.CorruptError{Name: "segment", Offset: -1, Err: errContent}
	}
	return data, err
}

// OpenBlock opens a block, of size bytes, or returns ErrMissingBlock. What is read is not verified. The system does not
// read ahead, so who reads all of it should read large pieces. The caller closes it. It may be read on when the directory
// has another block of that name, or none, and after Close.
func (d *Directory) OpenBlock(name string) (f Reader, size int64, err error) {
	f, size, err = d.openBlock(name)
	if err != nil {
		return nil, 0, fmt.Errorf("open block %s: %w", d.at(name), d.explain(err))
	}
	return f, size, nil
}

// openSegment opens a segment, or returns snapshot.ErrMissingSegment.
func (d *Directory) openSegment(name string) (Reader, int64, error) {
	return openFile(d, name, snapshot.ValidSegmentName(name), &snapshot.MissingSegmentsError{Names: []string{name}})
}

func (d *Directory) openBlock(name string) (Reader, int64, error) {
	return openFile(d, name, ValidBlockName(name), ErrMissingBlock)
}

// openFile opens a file, or returns the error missing if it is not there, or its name is not valid.
func openFile(d *Directory, name string, valid bool, missing error) (Reader, int64, error) {
	if err := d.handles.usable(); err != nil {
		return nil, 0, err
	}
	if !valid {
		return nil, 0, missing
	}
	defer d.reads(name)()
	f, size, err := d.system.Open(d.at(name))
	if errors.Is(err, fs.ErrNotExist) && !d.lock.Lost() {
		err = missing
	}
	return watchedReader{f, d, name}, size, err
}

// watchedReader is an open file whose reads are noted.
type watchedReader struct {
	Reader
	in   *Directory
	name string
}

// ReadAt implements io.ReaderAt.
func (r watchedReader) ReadAt(p []byte, at int64) (int, error) {
	defer r.in.reads(r.name)()
	return r.Reader.ReadAt(p, at)
}

// readAll reads any file of the directory.
func (d *Directory) readAll(name string) ([]byte, error) {
	f, size, err := d.system.Open(d.at(name))
	if err != nil {
		return nil, err
	}
	return readWhole(f, size)
}

// readWhole reads a file, and closes it.
func readWhole(f Reader, size int64) ([]byte, error) {
	if size > snapshot.MaxBytes {
		err := fmt.Errorf("it has %d bytes, the bound is %d", size, int64(snapshot.MaxBytes))
		return nil, errors.Join(&snapshot.CorruptError{Name: "file", Offset: -1, Err: err}, f.Close())
	}
	data := make([]byte, size)
	return data, errors.Join(readFull(f, data, 0), f.Close())
}

// readFull reads all of data. A read that is short is an error.
func readFull(f io.ReaderAt, data []byte, at int64) error {
	n, err := f.ReadAt(data, at)
	if n == len(data) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return fmt.Errorf("%d of %d bytes at byte %d: %w", n, len(data), at, cmp.Or(err, io.ErrUnexpectedEOF))
}
