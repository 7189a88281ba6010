package consumer

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

// TestFillInFiles: a filler whose old documents lie in files brings what one brings that has all in memory, and leaves no
// file.
func TestFillInFiles(t *testing.T) {
	t.Parallel()
	const n, remembered = 8500, 8000
	w, copies := older(t, n, func(s *Setup) { s.Index.Duplicates.Remember.Documents = remembered })
	path := filepath.Join(t.TempDir(), "old")
	directory, err := files.OpenRun(path, "a test", false)
	if err != nil {
		t.Fatal(err)
	}
	setup := w.setup
	setup.Store, setup.MaxRate = w.store(), 3000 // so that segments are written meanwhile
	p, err := NewFiller(setup, backfill.Asked{}, func(what string) { t.Log(what) })
	if err != nil {
		t.Fatal(err)
	}
	p.Files = directory
	_, after, err := p.Run(w.context())
	if err != nil || !after.Finished || after.Kept != n-n/10 || after.Documents != n-n/10 {
		t.Fatalf("after %+v, %v", after, err)
	}
	filed := 0
	p.service.replica.Load().Look(func(r *index.Replica) { filed = r.Stats().Filed })
	if segments, _, err := directory.Usage(); err != nil || segments < 8 || filed < remembered/4 {
		t.Errorf("%d segments lie in files, with %d documents, error %v", segments, filed, err)
	}
	if err := directory.End(false); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(path); err != nil || len(left) > 0 {
		t.Errorf("%v is left, error %v", left, err)
	}
	m := w.start()
	w.becomes("ready", m.Ready)
	matches := w.sendCopies(copies[:300])
	for i := range 300 {
		want := fmt.Sprintf("news/%d/%d 2", i%3, i/3)
		if i%10 == 3 {
			want = ""
		}
		if got := matches[fmt.Sprintf("new-%d", i)]; got != want {
			t.Errorf("copy %d: %q, want %q", i, got, want)
		}
	}
}

// TestNoSnapshotsHaveNoSegment: a filler without a store finds the segment of a damaged file nowhere, and restores.
func TestNoSnapshotsHaveNoSegment(t *testing.T) {
	t.Parallel()
	if _, err := (noSnapshots{}).Segment(t.Context(), "a name"); !snapshot.Damaged(err) {
		t.Errorf("it says %v, want that the segment is lost", err)
	}
}
