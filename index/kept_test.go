package index_test

import (
	"fmt"
	"testing"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// TestRecordKeepsFewPages: what the entries of a record have read is not kept until the record is applied, however many
// entries it has.
func TestRecordKeepsFewPages(t *testing.T) {
	const documents, most = 10 * runEntries, 4096 + 16
	f := newFeed(t, estimating(2*documents), 2*documents, 0)
	f.replica.Reshape(1, 1<<14) // each document in a file of its own
	f.fill(documents)
	files := map[string][]byte{}
	for _, v := range f.replica.Files().Unfiled() {
		name, data := fmt.Sprint(v.Number), v.Append(nil)
		files[name] = data
		f.replica.Files().File(v.Filed(name, data))
	}
	f.make()
	template := f.record.Entries[0]
	f.record.Entries = make([]entry.Entry, documents)
	for i := range f.record.Entries {
		e := template.Clone()
		e.Digest = e.Evidence[:entry.DigestBytes]
		f.document(&e, uint64(i))
		e.Offset, e.Content = e.Offset+int64(i), e.Content+uint64(i)
		f.record.Entries[i] = e
	}
	kept, effect := 0, f.replica.Apply(f.at, &f.record)
	for ; len(effect.Wanted) > 0; effect = f.replica.Resume() {
		kept = max(kept, f.replica.Read())
		for _, want := range effect.Wanted {
			data := files[want.File]
			if want.Page != window.Whole {
				data = data[want.Page*window.PageBytes : min(len(data), (want.Page+1)*window.PageBytes)]
			}
			if err := f.replica.Files().Give(want, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	copies := 0
	for i := range effect.Judged {
		if effect.Judged[i].Matched() {
			copies++
		}
	}
	if copies < documents-1 || kept > most || kept < most/2 {
		t.Errorf("%d copies of %d are found, and %d pages were kept of the record", copies, documents, kept)
	}
}
