package naive

import (
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// document is an indexed document. Its place in the window is a number that only grows; it may be given another one, and one
// that has left the window has none.
type document struct {
	source   entry.Source
	entry    entry.Entry
	position index.Position
	root     *document // the representative it stands for: itself, but for a copy
	place    int       // 0: not in the window
	bytes    int64
	entered  int64 // stream time from which its age counts
	dead     bool  // forgotten, or its partition was repositioned

	// of a representative
	copies   uint64 // how many documents it stands for, itself included
	repeated bool   // since it entered
	last     int64  // stream time of the last repeat; that of its own verdict before
	emission emission
}

// emission is the last document of a kind that came through: the representative itself, or a copy of it.
type emission struct {
	source   entry.Source
	offset   int64
	position index.Position
	at       int64 // stream time
	void     bool  // it died before its time counted: the next copy comes through
}

// bandKey is what of one band's key brings documents together.
type bandKey struct {
	band int
	tag  uint32
}

// shelf is a document under a key, and the place it had when it was put there: an old place means nothing. The shelves under
// a key ascend by place.
type shelf struct {
	*document
	at int
}

// seen is the stream time from which a document's age counts: that of its verdict, or of the last repeat.
func (t *Twin) seen(d *document) int64 {
	if t.params.Refreshes() && d.repeated {
		return d.last
	}
	return d.entered
}

// old says that a document is beyond the age of the window.
func (t *Twin) old(d *document) bool {
	age := t.params.Window.Age.Milliseconds()
	return age > 0 && t.now()-t.seen(d) >= age
}

// live says that a document can be matched: neither it nor its representative died, left the window or grew old.
func (t *Twin) live(d *document) bool {
	return d.place > 0 && !d.dead && !t.old(d) && d.root.place > 0 && !d.root.dead && !t.old(d.root)
}

// enter puts a document at the window's head.
func (t *Twin) enter(d *document) {
	t.places++
	d.place = t.places
	t.window = append(t.window, d)
	t.bytes += d.bytes
	for _, k := range t.keys(&d.entry) {
		t.byKey[k] = append(t.byKey[k], shelf{d, d.place})
	}
}

// leave takes the oldest document from the window, and what has left from the shelves that it stood on.
func (t *Twin) leave() *document {
	d := t.window[0]
	t.window = t.window[1:]
	t.bytes -= d.bytes
	gone := d.place
	d.place = 0
	for _, k := range t.keys(&d.entry) {
		all := t.byKey[k]
		for len(all) > 0 && all[0].at <= gone {
			all = all[1:]
		}
		if t.byKey[k] = all; len(all) == 0 {
			delete(t.byKey, k)
		}
	}
	return d
}

// room makes room for so many more documents and bytes: the oldest leave while the window is beyond a bound. Where a repeat
// keeps its representative, one that was repeated since it entered does not leave but enters again, its age counted from the
// last repeat. An entry causes so many re-entries and no more; then the oldest leaves in any case where there is no room, and
// where only its age drives it out, it waits for the next entry.
func (t *Twin) room(documents int, more int64, entries *int) {
	w := t.params.Window
	for len(t.window) > 0 {
		d := t.window[0]
		full := w.Count > 0 && len(t.window)+documents > w.Count || w.Bytes > 0 && t.bytes+more > int64(w.Bytes)
		aged := w.Age > 0 && t.now()-d.entered >= w.Age.Milliseconds()
		again := t.params.Refreshes() && d.repeated && !d.dead && !t.old(d)
		switch {
		case !full && !aged:
			return
		case again && *entries > 0:
			*entries--
			t.again(t.leave())
		case again && !full:
			return
		default:
			t.leave()
		}
	}
}

// again lets a representative that was repeated enter again.
func (t *Twin) again(d *document) {
	t.stats.Reentered++
	d.entered, d.repeated = d.last, false
	t.enter(d)
}

// keys are those under which a document stands: all band keys together, and each of them.
func (t *Twin) keys(e *entry.Entry) []bandKey {
	if e.Empty() {
		return nil
	}
	keys := []bandKey{{band: -1, tag: index.KeysTag(e.Keys)}}
	for key := range slices.Chunk(e.Keys, t.params.Similarity.KeyBytes) {
		keys = append(keys, bandKey{band: len(keys) - 1, tag: index.BandTag(key)})
	}
	return keys
}
