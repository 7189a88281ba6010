package filestest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"
	"testing"

	"github.com/unecho/unecho/index/files"
)

// roundTrip: what was put is read, now and by the next process, into memory that is reused.
func roundTrip(t *testing.T, p Place) {
	d, err := files.OpenIn(p.System, p.Path, Owner())
	must(t, err)
	put(t, d, 1, 2)
	wantWhole(t, d, 1)
	must(t, d.Close())
	d = p.open(t)
	wantWhole(t, d, 1)
	wantWhole(t, d, 2)
	name, data := Content(1)
	buffer := make([]byte, 10, files.PageBytes)
	got, err := d.ReadPage(name, 1, buffer)
	must(t, err)
	if &got[0] != &buffer[0] {
		t.Error("the page was not read into the memory that was given")
	}
	writeBlock(t, d, 1)
	if n, bytes, err := d.Usage(); n != 2 || bytes != int64(2*len(data)+blockBytes) || err != nil {
		t.Errorf("%d segments, %d bytes, %v", n, bytes, err)
	}
	if free, err := d.Free(); free <= 0 || err != nil {
		t.Errorf("%d bytes are free, %v", free, err)
	}
}

// putAgain: it repairs a damaged segment, also for readers that have it open.
func putAgain(t *testing.T, p Place) {
	d := p.open(t)
	put(t, d, 1)
	name, whole := Content(1)
	p.rewrite(t, name, func(data []byte) []byte { data[0] ^= 1; return data })
	if got, err := d.ReadPage(name, 0, nil); err != nil || got[0] == whole[0] {
		t.Fatalf("the page was not damaged, %v", err)
	}
	put(t, d, 1)
	wantWhole(t, d, 1)
	if err := d.Put(t.Context(), name, []byte("other")); err == nil {
		t.Error("other bytes were put under the name")
	}
	wantWhole(t, d, 1)
}

// missing: a segment is not there, or a name is none.
func missing(t *testing.T, p Place) {
	d := p.open(t)
	name, _ := Content(1)
	for _, name := range []string{name, "", "owner", "lock", "../" + name, strings.ToUpper(name)} {
		wantMissing(t, d, name)
	}
}

// damaged: Read finds a flipped bit and a segment that is too short; a page behind the end is an error.
func damaged(t *testing.T, p Place) {
	d := p.open(t)
	for n, change := range []func([]byte) []byte{
		func(data []byte) []byte { data[len(data)-1] ^= 0x80; return data },
		func(data []byte) []byte { return data[:files.PageBytes] },
		func([]byte) []byte { return nil },
		func(data []byte) []byte { return append(data, 0) },
	} {
		put(t, d, n)
		name, _ := Content(n)
		p.rewrite(t, name, change)
		_, err := d.Read(t.Context(), name)
		wantCorrupt(t, err)
		_, err = d.ReadPage(name, 4, nil)
		wantCorrupt(t, err)
	}
}

// keep: other segments and blocks go, files of others stay.
func keep(t *testing.T, p Place) {
	d := p.open(t)
	put(t, d, 1, 2, 3)
	for n := 1; n <= 3; n++ {
		writeBlock(t, d, n)
	}
	p.rewrite(t, "notes", func([]byte) []byte { return []byte("of a person") })
	wantPage(t, d, 1, 0)
	first, _ := Content(1)
	second, _ := Content(2)
	must(t, d.Keep(files.Only(second, "nothing", blockName(3))))
	wantMissing(t, d, first)
	wantWhole(t, d, 2)
	wantBlock(t, d, 1, nil)
	wantBlock(t, d, 2, nil)
	wantBlock(t, d, 3, blockContent(3))
	if !p.has(t, "notes") || !p.has(t, "owner") {
		t.Error("it removed what is no segment")
	}
	must(t, d.Close())
	d = p.open(t)
	wantWhole(t, d, 2)
	must(t, d.Remove())
	if p.has(t, second) || p.has(t, blockName(3)) || p.has(t, "owner") || !p.has(t, "notes") {
		t.Error("what it made is there still, or what a person made is not")
	}
	must(t, p.System.Remove(path.Join(p.Path, "notes")))
	wantMissing(t, p.open(t), second)
}

// failedWrites: what writes leave that fail on a disk that removes nothing goes when files are removed the next time, and need
// not wait until another process opens the directory. What is being written stays, and so does what another process tries the
// disk by.
func failedWrites(t *testing.T, p Place) {
	faulty := &Faulty{System: p.System}
	d := Place{faulty, p.Path}.open(t)
	one, _ := Content(1)
	two, data := Content(2)
	put(t, d, 1)
	faulty.Before = func(c Call) error {
		if c.Op == "sync" || c.Op == "remove" {
			return syscall.EIO
		}
		return nil
	}
	want(t, d.Put(t.Context(), two, data), syscall.EIO)
	want(t, d.Write(t.Context(), blockName(2), inPieces(blockContent(2))), syscall.EIO)
	want(t, d.Keep(files.Only(one)), syscall.EIO)
	faulty.Before = nil
	p.rewrite(t, "owner.77.tmp", func([]byte) []byte { return nil })
	if left := p.left(t); len(left) != 3 {
		t.Fatalf("%v are left, want a segment, a block, and what tries the disk", left)
	}
	must(t, d.Write(t.Context(), blockName(1), func(w io.Writer) error {
		return errors.Join(inPieces(blockContent(1))(w), d.Keep(files.Only(one)))
	}))
	wantBlock(t, d, 1, blockContent(1))
	wantWhole(t, d, 1)
	must(t, p.System.Remove(path.Join(p.Path, "owner.77.tmp")))
	p.wantNothingLeft(t)
}

var errAsked = errors.New("it was asked for a block that cannot be written")

// each calls each method that fails where the directory cannot be used.
func each(ctx context.Context, d *files.Directory) map[string]func() error {
	name, data := Content(1)
	return map[string]func() error{
		"Put":           func() error { return d.Put(ctx, name, data) },
		"Read":          func() error { _, err := d.Read(ctx, name); return err },
		"ReadPage":      func() error { _, err := d.ReadPage(name, 0, nil); return err },
		"Keep":          func() error { return d.Keep(files.Only()) },
		"Write":         func() error { return d.Write(ctx, blockName(1), func(io.Writer) error { return errAsked }) },
		"OpenBlock":     func() error { _, _, err := d.OpenBlock(blockName(1)); return err },
		"page of block": func() error { _, err := d.ReadPage(blockName(1), 0, nil); return err },
	}
}

func closedAndCanceled(t *testing.T, p Place) {
	d := p.open(t)
	put(t, d, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range each(ctx, d) {
		if name == "Put" || name == "Read" || name == "Write" {
			want(t, call(), context.Canceled)
		}
	}
	wantPage(t, d, 1, 0)
	must(t, d.Close())
	must(t, d.Close())
	for _, call := range each(t.Context(), d) {
		want(t, call(), fs.ErrClosed)
	}
	if name, _ := Content(1); !p.has(t, name) {
		t.Error("a closed directory lost a segment")
	}
}

// vanished: the directory is taken away while it is open.
func vanished(t *testing.T, p Place) {
	d := p.open(t)
	put(t, d, 1)
	entries, err := p.System.List(p.Path)
	must(t, err)
	for _, e := range entries {
		must(t, p.System.Remove(path.Join(p.Path, e.Name)))
	}
	must(t, p.System.Remove(p.Path))
	for name, call := range each(t.Context(), d) {
		if err := call(); !strings.Contains(err.Error(), "removed or unmounted") {
			t.Errorf("%s says %v", name, err)
		}
		want(t, call(), files.ErrVanished)
	}
	_, _, err = d.Usage()
	want(t, err, files.ErrVanished)
}
