package consumer

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/snapshot"
)

// filler fills a window of some documents, and has old ones lie on a disk.
func (d *disk) filler(t *testing.T, change ...func(*Setup)) (w *world, said *logs, p *Filler) {
	t.Helper()
	w, _ = older(t, 3000, append(change, func(s *Setup) { s.Index.Duplicates.Remember.Documents = 2000 })...)
	w.setup.MaxRate, said = 1000, w.logged() // so that segments are written meanwhile
	p, err := NewFiller(w.setup, backfill.Asked{}, func(what string) { t.Log(what) })
	if err != nil {
		t.Fatal(err)
	}
	if p.Files, err = files.OpenIn(&d.system, filepath.Join(d.dir, "old"), files.Owner{Run: "a test"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Files.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, said, p
}

// TestFillRestores: a fill that has lost a file restores, and goes on. Its summary begins with the first replica.
func TestFillRestores(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	w, said, p := d.filler(t)
	d.system.Before = func(c filestest.Call) error {
		if c.Op == "read" && snapshot.ValidSegmentName(filepath.Base(c.Path)) && !said.has("a file of old documents is lost") {
			return syscall.EIO
		}
		return nil
	}
	before, after, err := p.Run(w.context())
	if err != nil || before.Number != 0 || before.Done != 0 || !after.Finished || after.Kept != 2700 {
		t.Errorf("before %+v, after %+v, %v", before, after, err)
	}
	if n := said.count("a file of old documents is lost"); n == 0 {
		t.Errorf("it has restored %d times", n)
	}
}
