package files_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
)

// TestLateReads: a read counts as late if judging waits for it in its turn: it was not made ahead, or failed then.
func TestLateReads(t *testing.T) {
	const documents, inSegment = 2048, 64
	disk := &filestest.Faulty{System: filestest.NewMemory()}
	f := newFeed(t, documents)
	var err error
	f.pager.Directory, err = files.OpenIn(disk, "/files", files.Owner{Group: "late"})
	noError(t, err)
	f.pager.Mend = func(context.Context, map[string]error) error { return nil } // it is read again
	f.share, f.other = 0, false
	f.pager.Replica.Reshape(inSegment, 1<<20)
	f.begin()
	for f.made < documents {
		f.sign()
		f.apply()
	}
	counted := func(do func()) (reads int64, late uint64) {
		reads, late = f.reads.Load(), f.late.Load()
		do()
		return f.reads.Load() - reads, f.late.Load() - late
	}
	copies := func() {
		f.share = 1
		f.signs(16)
		f.record(&f.run)
	}
	if reads, late := counted(copies); reads == 0 || late != 0 {
		t.Errorf("of %d reads for copies %d are late, want none", reads, late)
	}
	var mu sync.Mutex
	failed := map[string]bool{}
	disk.Before = func(c filestest.Call) error {
		mu.Lock()
		defer mu.Unlock()
		if c.Op != "read" || failed[c.Path] {
			return nil
		}
		failed[c.Path] = true
		return errors.New("it fails once")
	}
	if reads, late := counted(copies); late == 0 || late > uint64(reads) || len(failed) == 0 {
		t.Errorf("of %d reads for copies %d are late, where reads of %d files fail at first", reads, late, len(failed))
	}
	disk.Before = nil
	erase := &index.Erase{Header: f.run.Header, Targets: []entry.Position{{Offset: f.at.Offset - 4}}}
	if reads, late := counted(func() { f.record(erase) }); reads == 0 || late != uint64(reads) {
		t.Errorf("of %d reads to erase a document %d are late, want all", reads, late)
	}
	noError(t, f.pager.Directory.Close())
}
