package filestest

import (
	"bytes"
	"errors"
	"path"
	"testing"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

// Place is a directory that is not there yet, in a file system.
type Place struct {
	System files.System
	Path   string
}

// Run runs the suite, each test in a place of its own.
func Run(t *testing.T, fresh func(t *testing.T) Place) {
	tests := []struct {
		name string
		run  func(t *testing.T, p Place)
	}{
		{"round trip", roundTrip},
		{"put again", putAgain},
		{"missing", missing},
		{"damaged", damaged},
		{"keep", keep},
		{"failed writes", failedWrites},
		{"closed and canceled", closedAndCanceled},
		{"owners", owners},
		{"directories of others", others},
		{"one process", oneProcess},
		{"remedies", remedies},
		{"left by dead writers", leftBehind},
		{"vanished", vanished},
		{"readers", readers},
		{"open files", openFiles},
		{"each call fails", eachCallFails},
		{"reads that lie", readsThatLie},
		{"slow", slow},
		{"closed meanwhile", closedMeanwhile},
		{"opened again", openedAgain},
		{"replaced meanwhile", replacedMeanwhile},
		{"block: round trip", blockRoundTrip},
		{"block: names", blockNames},
		{"block: read on", readOn},
		{"block: two at once", twoAtOnce},
		{"block: broken off", brokenOff},
		{"block: reads that lie", blockReadsThatLie},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, fresh(t)) })
	}
}

// Owner is the owner of the suite's directories.
func Owner() files.Owner {
	return files.Owner{Group: "news", Journal: [16]byte{1, 15: 2}, Fingerprint: 0xfeed}
}

// Content returns the content of a segment of some pages and a half; the same n gives the same bytes.
func Content(n int) (name string, data []byte) {
	data = filled(n, 3*files.PageBytes+files.PageBytes/2)
	return snapshot.SegmentName(data), data
}

func filled(n, bytes int) []byte {
	data := make([]byte, bytes)
	for i := range data {
		data[i] = byte(i*7 + i>>8 + i>>16 + n)
	}
	data[1] = byte(n >> 8)
	return data
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("got %v, want: %v", err, target)
	}
}

func (p Place) open(t testing.TB) *files.Directory {
	t.Helper()
	d, err := files.OpenIn(p.System, p.Path, Owner())
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

// put stores the segments of these numbers.
func put(t testing.TB, d *files.Directory, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		name, data := Content(n)
		must(t, d.Put(t.Context(), name, data))
	}
}

// rewrite changes a file of the directory, or makes one, behind its back.
func (p Place) rewrite(t testing.TB, name string, change func([]byte) []byte) {
	t.Helper()
	at := path.Join(p.Path, name)
	var data []byte
	if f, size, err := p.System.Open(at); err == nil {
		data = make([]byte, size)
		_, err := f.ReadAt(data, 0)
		must(t, errors.Join(err, f.Close(), p.System.Remove(at)))
	}
	f, err := p.System.Create(at)
	must(t, err)
	_, err = f.Write(change(data))
	must(t, errors.Join(err, f.Sync(), f.Close(), p.System.SyncDir(p.Path)))
}

func (p Place) has(t testing.TB, name string) bool {
	t.Helper()
	entries, err := p.System.List(p.Path)
	must(t, err)
	for _, e := range entries {
		if e.Name == name {
			return true
		}
	}
	return false
}

// wantWhole expects a segment to be there, by each method.
func wantWhole(t testing.TB, d *files.Directory, n int) {
	t.Helper()
	name, data := Content(n)
	got, err := d.Read(t.Context(), name)
	must(t, err)
	if !bytes.Equal(got, data) {
		t.Fatalf("segment %d is read as other bytes", n)
	}
	for i := range 4 {
		wantPage(t, d, n, i)
	}
}

func wantPage(t testing.TB, d *files.Directory, n, page int) {
	t.Helper()
	name, data := Content(n)
	got, err := d.ReadPage(name, page, nil)
	must(t, err)
	if want := data[page*files.PageBytes : min((page+1)*files.PageBytes, len(data))]; !bytes.Equal(got, want) {
		t.Fatalf("page %d of segment %d has %d bytes, others than the %d that were put", page, n, len(got), len(want))
	}
}

// wantMissing expects a segment not to be there, by each method.
func wantMissing(t testing.TB, d *files.Directory, name string) {
	t.Helper()
	_, err := d.Read(t.Context(), name)
	want(t, err, snapshot.ErrMissingSegment)
	_, err = d.ReadPage(name, 0, nil)
	want(t, err, snapshot.ErrMissingSegment)
}

func wantCorrupt(t testing.TB, err error) {
	t.Helper()
	if corrupt := (*snapshot.CorruptError)(nil); !errors.As(err, &corrupt) {
		t.Fatalf("got %v, want that it is corrupt", err)
	}
}

// wantUnknown expects an error that says neither that a segment is not there nor that it is damaged.
func wantUnknown(t testing.TB, err error) {
	t.Helper()
	if err == nil || snapshot.Damaged(err) {
		t.Fatalf("got %v, want an error that says nothing of what is stored", err)
	}
}
