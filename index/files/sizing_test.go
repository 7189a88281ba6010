package files_test

import (
	"math"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/sketch"
)

// TestSizing: a full window takes what is reckoned of it, in memory and on the disk, and its documents read as much. What
// it takes grows until a block is made, so the most of two blocks counts.
func TestSizing(t *testing.T) {
	const remembered = 40_000
	f := newFeed(t, remembered)
	var err error
	f.pager.Directory, err = files.OpenIn(filestest.NewMemory(), "/files", files.Owner{Group: "sizing"})
	noError(t, err)
	f.begin()
	var memory, filters, disk int64
	for seen := 0; seen < remembered/3; { // of 128 segments, and 16 have a block
		f.sign()
		f.record(&f.run)
		if now := f.pager.Replica.Stats(); now.Documents == remembered {
			seen += atOnce
			memory, filters, disk = max(memory, now.Memory), max(filters, f.filters()), max(disk, now.FileBytes)
		}
		f.keep()
	}
	// Of these texts unlike ones have nothing in common.
	s, err := index.SizingOf(f.params, index.PartsOf(f.params, &f.run.Entries[0]), remembered, sketch.Load{})
	noError(t, err)
	near(t, "bytes of memory", float64(memory), float64(s.Memory()-s.Making))
	near(t, "bytes of filters", float64(filters), float64(s.Filters))
	near(t, "bytes on the disk", float64(disk), float64(s.Disk()-s.Merging))

	reads, _ := f.readsEach(0)
	near(t, "pages of a new document", reads, s.New)
	reads, copies := f.readsEach(0.9)
	old := float64(remembered-s.Tail) / remembered
	near(t, "pages of a document, of which some are copies", reads, s.New+s.Copy*copies*old)
	noError(t, f.pager.Directory.Close())
}

// filters is what blocks take in memory.
func (f *feed) filters() (bytes int64) {
	for _, b := range f.pager.Replica.Files().Blocks() {
		bytes += b.Postings().Memory()
	}
	return bytes
}

// readsEach judges more documents, of which a share are to be copies without a change. It returns how many pages each has
// read, and what share are copies. Few are looked up together, so that what is read for one hardly serves another.
func (f *feed) readsEach(share float64) (reads, copies float64) {
	f.share, f.other = share, false
	read, began := f.reads.Load(), f.pager.Replica.Stats()
	for range 1000 {
		f.signs(3)
		f.apply()
	}
	now := f.pager.Replica.Stats()
	judged := float64(now.Judged - began.Judged)
	return float64(f.reads.Load()-read) / judged, float64(now.Duplicate-began.Duplicate) / judged
}

func near(t *testing.T, what string, is, reckoned float64) {
	t.Helper()
	t.Logf("%.2f %s, %.2f reckoned", is, what, reckoned)
	if math.Abs(reckoned-is) > 0.15*is {
		t.Errorf("%.2f %s, %.2f reckoned", is, what, reckoned)
	}
}
