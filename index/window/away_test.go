package window

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// filling is a window of segments of three documents, each of some pages.
func filling(t *testing.T, documents int) (*Window, []Document) {
	t.Helper()
	w := New(Params{Bands: 2, Share: 100, Count: 1000})
	w.SealAt(3, segmentBytes)
	all := make([]Document, documents)
	for i := range all {
		at := entry.Position{Offset: int64(10 * i)}
		all[i] = Document{Position: at, Judged: at, First: Ref(i), Root: Ref(i), Entry: entry.Entry{
			Offset: int64(i), Kind: entry.Text, Content: uint64(i) + 1, Evidence: bytes.Repeat([]byte{byte(i + 1)}, 1000*(i%7)+1),
			Keys: bytes.Repeat([]byte{byte(i)}, 2*entry.KeyBytes), Digest: bytes.Repeat([]byte{byte(i)}, entry.DigestBytes), ID: []byte("id"),
		}}
		w.Insert(&all[i])
	}
	return w, all
}

// fileAll has all sealed segments lie in files, and returns these.
func fileAll(t *testing.T, w *Window) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, v := range w.Files().Unfiled() {
		name, data := string(rune('a'+v.Number)), v.Append(nil)
		if files[name] = data; !w.Files().File(v.Filed(name, data)) {
			t.Fatalf("segment %d is of no use", v.Number)
		}
	}
	return files
}

func TestDocumentsOfManyPages(t *testing.T) {
	w, all := filling(t, 30)
	files := fileAll(t, w)
	for i, want := range all {
		pages := 0
		for {
			w.Files().Again()
			place := w.At(Ref(i))
			got, ok := place.Document()
			if got.Entry.Keys, got.Entry.Digest = place.Keys(), place.Digest(); ok {
				if !reflect.DeepEqual(got, want) {
					t.Errorf("document %d is\n%+v\nnot\n%+v", i, got, want)
				}
				break
			}
			for _, to := range w.Files().Wanted() {
				data := files[to.File]
				if err := w.Files().Give(to, data[to.Page*PageBytes:min(len(data), (to.Page+1)*PageBytes)]); err != nil {
					t.Fatalf("give %v: error %v", to, err)
				}
				pages++
			}
		}
		if away := i >= 3 && i < 27; (pages > 0) != away || pages > 3 {
			t.Errorf("document %d took %d pages; it is away: %v", i, pages, away)
		}
		w.Files().Done()
	}
}

// TestFilesOfNoUse: a file is of no use once a document was erased in its segment, or the segment has left.
func TestFilesOfNoUse(t *testing.T) {
	w, _ := filling(t, 30)
	views := w.Files().Unfiled()
	filed := make([]Filed, len(views))
	for i, v := range views {
		filed[i] = v.Filed(string(rune('a'+v.Number)), v.Append(nil))
	}
	w.Erase([]entry.Position{{Offset: 10 * 13}}, 1000)
	for range 6 {
		_, _, bytes := w.Front()
		w.Leave(bytes)
	}
	for i, f := range filed {
		if got, want := w.Files().File(f), i != 4 && i >= 2; got != want {
			t.Errorf("the file of segment %d is of use: %v, not %v", i, got, want)
		}
	}
	if n := len(w.Files().Unfiled()); n != 1 {
		t.Errorf("%d segments lie in no file, not the one that has changed", n)
	}
}

// TestErasedLeavesItsFile: what lies in a file is out of date when a document was erased, and is needed no more.
func TestErasedLeavesItsFile(t *testing.T) {
	w, _ := filling(t, 30)
	files := fileAll(t, w)
	target := []entry.Position{{Offset: 10 * 13}}
	w.Erase(target, 1000)
	wanted := w.Files().Wanted()
	if len(wanted) != 1 || wanted[0].Page != Whole {
		t.Fatalf("to erase a document %v is wanted, not a file", wanted)
	}
	name := wanted[0].File
	if err := w.Files().Give(wanted[0], files[name][:100]); !errors.Is(err, ErrDamaged) {
		t.Errorf("a part of the file gives error %v", err)
	}
	if err := w.Files().Give(wanted[0], files[name]); err != nil {
		t.Fatal(err)
	}
	if w.Erase(target, 1000); w.Files().Wants() || w.Files().Names()[name] {
		t.Errorf("%v is wanted; the file is needed: %v", w.Files().Wanted(), w.Files().Names()[name])
	}
	w.Files().Done()
	if d, ok := w.At(13).Document(); !ok || !d.Entry.Erased() {
		t.Errorf("the document is %+v, in memory: %v", d, ok)
	}
}

// TestTake: pages that were read beside the window need not be wanted, are not summed again, and count as long as their file
// is needed.
func TestTake(t *testing.T) {
	w, _ := filling(t, 30)
	files, h := fileAll(t, w), w.Files()
	if d, ok := w.At(13).Document(); ok {
		t.Fatalf("%+v is in memory", d)
	}
	pages := map[Want][]byte{{"another", 0}: {1}}
	for _, want := range h.Wanted() {
		data := files[want.File][want.Page*PageBytes : min(len(files[want.File]), (want.Page+1)*PageBytes)]
		if by := h.Sounder(want.File); !by.Sound(want.Page, data) || by.Sound(want.Page, data[1:]) {
			t.Error("it cannot be told whether a page is what was written")
		}
		pages[want] = data
	}
	for _, wanted := range []bool{true, false} { // they are wanted, or not
		if h.Take(pages); h.Wants() {
			t.Errorf("%v is wanted", h.Wanted())
		}
		if d, ok := w.At(13).Document(); !ok || d.Position.Offset != 130 {
			t.Errorf("what was read is %+v, %v; it was wanted: %v", d, ok, wanted)
		}
		h.Done()
	}
	if h.Sounder("another") != nil {
		t.Error("a file that is not needed has pages")
	}
}

// TestUnfiledStays: what is to be written does not change when a document in it is erased, or its segment has left.
func TestUnfiledStays(t *testing.T) {
	w, _ := filling(t, 30)
	views := w.Files().Unfiled()
	before := make([][]byte, len(views))
	for i, v := range views {
		before[i] = v.Append(nil)
	}
	w.Erase([]entry.Position{{Offset: 10 * 13}}, 1000)
	for i := range 6 {
		_, _, size := w.Front()
		w.Leave(size)
		d := Document{Position: entry.Position{Offset: int64(1000 + i)}, Entry: entry.Entry{
			Kind: entry.Text, Keys: make([]byte, 2*entry.KeyBytes), Digest: make([]byte, entry.DigestBytes),
		}}
		w.Insert(&d)
	}
	for i, v := range views {
		if !bytes.Equal(v.Append(nil), before[i]) {
			t.Errorf("segment %d has changed", v.Number)
		}
	}
}

// TestAgainReadsOneFileAtATime: who searches all of the window for documents that entered again has one file in memory at
// a time, beside those with what is sought, and reads each once.
func TestAgainReadsOneFileAtATime(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(w *Window, again entry.Position)
		holds int // files, with the one that is wanted
	}{
		"erase": {func(w *Window, again entry.Position) { w.Erase([]entry.Position{again, {Offset: 10 * 13}}, 1000) }, 4},
		"find": {func(w *Window, again entry.Position) {
			if p, ok := w.Find(again); ok == w.Files().Wants() || ok && (p.segment.number != 3 || p.i != 1) {
				t.Errorf("%+v is found: %v, and %v is wanted", p, ok, w.Files().Wanted())
			}
		}, 2},
	} {
		w, again := New(Params{Bands: 2, Share: 100, Count: 1000, Refreshes: true}), entry.Position{Offset: 3, Entry: 1}
		w.SealAt(3, segmentBytes)
		for i := range 30 {
			d := Document{Position: entry.Position{Offset: int64(10*i + 5)}, First: Ref(i), Root: Ref(i), Entry: entry.Entry{
				Offset: int64(i), Kind: entry.Text, Evidence: bytes.Repeat([]byte{byte(i + 1)}, 100),
				Keys: bytes.Repeat([]byte{byte(i)}, 2*entry.KeyBytes), Digest: bytes.Repeat([]byte{byte(i)}, entry.DigestBytes),
			}}
			if d.Judged = d.Position; i == 7 || i == 22 && name == "erase" {
				d.Judged, d.Again = again, true
			}
			w.Insert(&d)
		}
		files, reads := fileAll(t, w), map[string]int{}
		for c.do(w, again); w.Files().Wants(); c.do(w, again) {
			for _, want := range w.Files().Wanted() {
				reads[want.File]++
				if err := w.Files().Give(want, files[want.File]); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(w.files.read); n > c.holds {
				t.Fatalf("%s: %d files are in memory", name, n)
			}
			w.Files().Again()
		}
		if w.Files().Done(); len(reads) < 8 {
			t.Errorf("%s: %d files were read", name, len(reads))
		}
		for file, n := range reads {
			if n > 1 && (name == "find" || n > 2) {
				t.Errorf("%s: file %s was read %d times", name, file, n)
			}
		}
		if w.Erase([]entry.Position{{Offset: 3, Entry: 2}}, 1001); w.Files().Wants() {
			t.Errorf("%s: %v is to be read again, for a document that did not enter again", name, w.Files().Wanted())
		}
		for _, at := range []Ref{7, 22} {
			if d, _ := w.At(at).Document(); name == "erase" && !d.Entry.Erased() {
				t.Errorf("document %d is not erased", at)
			}
		}
	}
}

// TestErasedTwiceByOneRecord: a file that was written between two erasures of one record, while that wanted another file, is of
// no use.
func TestErasedTwiceByOneRecord(t *testing.T) {
	s := newShelved(t, 1, 4, 3, 0)
	s.insert(12)
	h := s.w.Files()
	s.w.Erase([]entry.Position{{Offset: 1}}, 50)
	h.Done()
	v := h.Unfiled()[0]
	f := v.Filed("between", v.Append(nil))
	s.w.Erase([]entry.Position{{Offset: 2}}, 50)
	h.Done()
	if h.File(f) {
		t.Error("what was erased last comes back from a file")
	}
}

// TestSegmentIsAsItsVersionSays: who changes what a segment's file has must give it another segmentVersion.
func TestSegmentIsAsItsVersionSays(t *testing.T) {
	w, _ := filling(t, 4)
	data := w.Files().Unfiled()[0].Append(nil)
	if got, want := fmt.Sprintf("%x", sha256.Sum256(data))[:16], "b41cc4998bae600d"; data[0] != 11 || got != want {
		t.Errorf("a segment of version %d begins its name with %s, and not %s of version 11", data[0], got, want)
	}
}
