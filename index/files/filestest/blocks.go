package filestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

const (
	blockBytes = 200_000 // several times what is written or read back at once
	pieceBytes = 10_000
	other      = 100 // added to the number of a content: another one
)

func blockName(n int) string { return fmt.Sprintf("%d-%d.block", 8*n, 8*n+7) }

func blockContent(n int) []byte { return filled(n, blockBytes) }

func inPieces(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		for piece := range slices.Chunk(data, pieceBytes) {
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
		return nil
	}
}

func writeBlock(t testing.TB, d *files.Directory, n int) {
	t.Helper()
	must(t, d.Write(t.Context(), blockName(n), inPieces(blockContent(n))))
}

// wantBlock expects a block to have one of the contents, by each method, or not to be there, if one is nil.
func wantBlock(t testing.TB, d *files.Directory, n int, contents ...[]byte) {
	t.Helper()
	got := readBlock(t, d, blockName(n))
	if !slices.ContainsFunc(contents, func(c []byte) bool { return (c == nil) == (got == nil) && bytes.Equal(c, got) }) {
		t.Fatalf("block %d is there: %t, with %d bytes, others than are wanted", n, got != nil, len(got))
	}
}

// readBlock reads a block at once and by pages. It returns nil if the block is not there.
func readBlock(t testing.TB, d *files.Directory, name string) []byte {
	t.Helper()
	block, size, err := d.OpenBlock(name)
	if err != nil {
		wantNone(t, err)
		_, err = d.ReadPage(name, 0, nil)
		wantNone(t, err)
		return nil
	}
	data := readAll(t, block, size)
	must(t, block.Close())
	var pages []byte
	for len(pages) < len(data) {
		page, err := d.ReadPage(name, len(pages)/files.PageBytes, nil)
		must(t, err)
		pages = append(pages, page...)
	}
	if !bytes.Equal(pages, data) {
		t.Fatalf("%s has other pages than it was opened with", name)
	}
	_, err = d.ReadPage(name, int(size+files.PageBytes-1)/files.PageBytes, nil)
	wantCorrupt(t, err)
	return data
}

// wantNone expects the error that a block is not there, which is not taken for that of a segment, or of the directory.
func wantNone(t testing.TB, err error) {
	t.Helper()
	want(t, err, files.ErrMissingBlock)
	if wantUnknown(t, err); strings.Contains(err.Error(), "removed or unmounted") {
		t.Errorf("it says of the directory: %v", err)
	}
}

func readAll(t testing.TB, block io.ReaderAt, size int64) []byte {
	t.Helper()
	data := make([]byte, size)
	n, err := block.ReadAt(data, 0)
	if n < len(data) {
		t.Fatalf("%d of %d bytes: %v", n, size, err)
	}
	return data
}

// left returns the files that are being written, or were.
func (p Place) left(t testing.TB) (names []string) {
	t.Helper()
	entries, err := p.System.List(p.Path)
	must(t, err)
	for _, e := range entries {
		if strings.HasSuffix(e.Name, ".tmp") {
			names = append(names, e.Name)
		}
	}
	return names
}

func (p Place) wantNothingLeft(t testing.TB) {
	t.Helper()
	if names := p.left(t); len(names) > 0 {
		t.Errorf("%v are left", names)
	}
}

// blockRoundTrip: what was written is read, now and by the next process; there may be nothing in it.
func blockRoundTrip(t *testing.T, p Place) {
	d := p.open(t)
	writeBlock(t, d, 1)
	must(t, d.Write(t.Context(), blockName(2), func(io.Writer) error { return nil }))
	must(t, d.Write(t.Context(), blockName(3), inPieces(blockContent(3)[:2*files.PageBytes])))
	for range 2 {
		wantBlock(t, d, 1, blockContent(1))
		wantBlock(t, d, 2, []byte{})
		wantBlock(t, d, 3, blockContent(3)[:2*files.PageBytes])
		must(t, d.Close())
		d = p.open(t)
	}
}

// blockNames: what has another name is no block, and a block is no segment.
func blockNames(t *testing.T, p Place) {
	d := p.open(t)
	segment, _ := Content(1)
	put(t, d, 1)
	writeBlock(t, d, 1)
	p.rewrite(t, "notes", func([]byte) []byte { return []byte("of a person") })
	for _, name := range []string{
		segment, "", "owner", "lock", "notes", "../notes", "1.block", "1-.block", "-1.block", "1-2", "1-2.blocks", "1-2xblock",
		"a1-2.block", "../1-2.block", "1/1-2.block", "1-2.block\n", "1-2.block.1.tmp",
	} {
		if files.ValidBlockName(name) {
			t.Errorf("%q is the name of a block", name)
		}
		if err := d.Write(t.Context(), name, inPieces(nil)); err == nil {
			t.Errorf("a block was written as %q", name)
		}
		_, _, err := d.OpenBlock(name)
		wantNone(t, err)
	}
	for _, name := range []string{blockName(1), "0-0.block", "00000000000000000001-18446744073709551615.block"} {
		if !files.ValidBlockName(name) {
			t.Errorf("%q is no name of a block", name)
		}
	}
	_, err := d.Read(t.Context(), blockName(1))
	want(t, err, snapshot.ErrMissingSegment)
	wantWhole(t, d, 1)
	wantBlock(t, d, 1, blockContent(1))
}

// readOn: who has a block open reads it when it is replaced, when it is removed, and when the directory is closed.
func readOn(t *testing.T, p Place) {
	faulty := &Faulty{System: p.System}
	p.System = faulty
	d := p.open(t)
	writeBlock(t, d, 1)
	wantBlock(t, d, 1, blockContent(1))
	first, size, err := d.OpenBlock(blockName(1))
	must(t, err)
	still := func() {
		t.Helper()
		if !bytes.Equal(readAll(t, first, size), blockContent(1)) {
			t.Error("who has the block open reads another")
		}
	}
	must(t, d.Write(t.Context(), blockName(1), inPieces(blockContent(1+other))))
	wantBlock(t, d, 1, blockContent(1+other))
	still()
	must(t, d.Keep(files.Only()))
	wantBlock(t, d, 1, nil)
	still()
	must(t, d.Close())
	still()
	must(t, first.Close())
	if n := faulty.Reading(); n != 0 {
		t.Errorf("%d files are still open", n)
	}
}

// twoAtOnce: of two who write a block at once, each writes all of its own, and the last one stays.
func twoAtOnce(t *testing.T, p Place) {
	d := p.open(t)
	must(t, d.Write(t.Context(), blockName(1), func(w io.Writer) error {
		data := blockContent(1)
		return errors.Join(
			inPieces(data[:blockBytes/2])(w),
			d.Write(t.Context(), blockName(1), inPieces(blockContent(1+other))),
			d.Write(t.Context(), blockName(2), inPieces(blockContent(2))),
			inPieces(data[blockBytes/2:])(w),
		)
	}))
	wantBlock(t, d, 1, blockContent(1))
	wantBlock(t, d, 2, blockContent(2))
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			if err := d.Write(t.Context(), blockName(i%2), inPieces(blockContent(i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	wantBlock(t, d, 0, blockContent(0), blockContent(2))
	wantBlock(t, d, 1, blockContent(1), blockContent(3))
	p.wantNothingLeft(t)
}

// brokenOff: what ends a block half-way is told, and leaves the earlier block or none.
func brokenOff(t *testing.T, p Place) {
	faulty := &Faulty{System: p.System}
	p.System = faulty
	broken := errors.New("broken off")
	for cause, during := range map[error]func(w io.Writer, cancel func()) error{
		broken:           func(io.Writer, func()) error { return broken },
		context.Canceled: func(w io.Writer, cancel func()) error { cancel(); return inPieces(blockContent(1))(w) },
		syscall.EIO: func(w io.Writer, _ func()) error { // the error of a write is ignored
			faulty.Before = func(c Call) error {
				if c.Op == "write" {
					return syscall.EIO
				}
				return nil
			}
			_ = inPieces(blockContent(1))(w)
			faulty.Before = nil
			return inPieces(blockContent(1))(w)
		},
		files.ErrVanished: func(io.Writer, func()) error { return p.System.Remove(path.Join(p.Path, "lock")) },
	} {
		d := p.open(t)
		writeBlock(t, d, 1)
		for n := range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			err := d.Write(ctx, blockName(n), func(w io.Writer) error {
				must(t, inPieces(blockContent(n+other))(w))
				return during(w, cancel)
			})
			cancel()
			want(t, err, cause)
			wantUnknown(t, err)
			p.wantNothingLeft(t)
			must(t, d.Close())
			d = p.open(t)
			wantBlock(t, d, 0, nil)
			wantBlock(t, d, 1, blockContent(1))
		}
		must(t, d.Close())
	}
	canceledAtTheEnd(t, p)
}

// canceledAtTheEnd: a context that ends when all is written is seen, as is one whose error is ignored.
func canceledAtTheEnd(t *testing.T, p Place) {
	d := p.open(t)
	for _, early := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		pieces := 0
		want(t, d.Write(ctx, blockName(2), func(w io.Writer) error {
			for piece := range slices.Chunk(blockContent(1), pieceBytes) {
				if early && pieces == 1 {
					cancel()
				}
				if _, err := w.Write(piece); err == nil {
					pieces++
				}
			}
			cancel()
			return nil
		}), context.Canceled)
		if early != (pieces == 1) {
			t.Errorf("%d pieces were written", pieces)
		}
		wantBlock(t, d, 2, nil)
	}
	p.wantNothingLeft(t)
}

// blockReadsThatLie: a block of which any part is read back short, or wrong by a bit, is not taken for what was written.
func blockReadsThatLie(t *testing.T, p Place) {
	faulty := &Faulty{System: p.System}
	p.System = faulty
	d := p.open(t)
	lies := map[string]func([]byte) int{
		"short": func(read []byte) int { return len(read) / 2 },
		"a bit": func(read []byte) int { read[len(read)/2] ^= 4; return len(read) },
		"last":  func(read []byte) int { read[len(read)-1] ^= 0x80; return len(read) },
	}
	for name, lie := range lies {
		for n, lied := 0, true; lied; n++ {
			reads := 0
			lied = false
			faulty.Bend = func(_ Call, read []byte) int {
				if reads++; reads-1 == n {
					lied = true
					return lie(read)
				}
				return len(read)
			}
			err := d.Write(t.Context(), blockName(2), inPieces(blockContent(2)))
			faulty.Bend = nil
			if lied == (err == nil) || !lied && n < 4 {
				t.Fatalf("%s in read %d of %d: %v", name, n, reads, err)
			}
			if lied {
				wantUnknown(t, err)
				wantBlock(t, d, 2, nil)
			}
			p.wantNothingLeft(t)
		}
		must(t, d.Keep(files.Only()))
	}
}
