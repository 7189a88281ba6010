package naive

import (
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// document is an indexed document. Its place in the window is a number; places ascend in the order they are given. A
// document that enters again gets another place, and one that has left the window has none.
type document struct {
	source   entry.Source
	entry    entry.Entry
	position entry.Position
	root     *document // its representative; itself if it is no copy
	place    int       // 0: not remembered
	bytes    int64
	under    []bandKey // the keys under which it is found
	fine     int       // how many of them are fine keys
	entered  int64     // ms of stream time from which its age counts
	dead     bool      // forgotten, or its partition was repositioned

	// The fields below are used only in a representative.
	copies   uint64 // how many documents it stands for, itself included
	repeated bool   // true if it was repeated since it entered
	last     int64  // ms of stream time of the last repeat, or of its own verdict if there was none
	emission emission
}

// emission is the last document that came through among a representative and its copies.
type emission struct {
	source   entry.Source
	offset   int64
	position entry.Position
	at       int64 // stream time
	void     bool  // the document died, so the next copy comes through
}

// queue is the window.
type queue struct {
	documents []*document // the oldest first, ascending by place
	place     int         // the last one given
	byKey     map[bandKey][]shelf
	bytes     int64 // of the documents
}

// bandKey is the part of a band key by which documents meet. A fine key is in one of the bands, by its tag.
type bandKey struct {
	band int
	tag  uint32
}

// shelf is a document under a key, and the place it had when it was added. If the document has another place by now,
// the entry is stale. The shelves under a key ascend by place.
type shelf struct {
	*document
	at int
}

// seen returns the stream time from which a document's age counts: that of its verdict, or of the last repeat.
func (t *Twin) seen(d *document) int64 {
	if t.params.Refreshes() && d.repeated {
		return d.last
	}
	return d.entered
}

// old says whether a document is beyond the age of the window.
func (t *Twin) old(d *document) bool {
	age := t.params.Duplicates.Remember.Age.Milliseconds()
	return age > 0 && t.now()-t.seen(d) >= age
}

// live says whether a document can be matched: neither it nor its representative died, left the window or grew too old.
func (t *Twin) live(d *document) bool {
	return d.place != 0 && !d.dead && !t.old(d) && d.root.place != 0 && !d.root.dead && !t.old(d.root)
}

// linkAs sets the keys under which a document is found to those that the latest lookup chose. A document that has
// no fine key of its own and is no copy is found under all its band keys.
func (t *Twin) linkAs(d *document, copied bool) {
	if d.under, d.fine = t.looked.under, t.looked.fine; d.fine == 0 && !copied {
		d.under = t.keys(&d.entry)
	}
	d.bytes += index.FineBytes(d.fine)
}

// enter puts a document at the head of the window.
func (t *Twin) enter(d *document) {
	q := &t.window
	q.place++
	d.place = q.place
	q.documents = append(q.documents, d)
	q.bytes += d.bytes
	for _, k := range d.under {
		q.byKey[k] = append(q.byKey[k], shelf{d, d.place})
	}
}

// leave takes the oldest document from the window, and removes what has left from its shelves.
func (t *Twin) leave() *document {
	q := &t.window
	d := q.documents[0]
	q.documents = q.documents[1:]
	q.bytes -= d.bytes
	gone := d.place
	d.place = 0
	for _, k := range d.under {
		all := q.byKey[k]
		for len(all) > 0 && all[0].at <= gone {
			all = all[1:]
		}
		if q.byKey[k] = all; len(all) == 0 {
			delete(q.byKey, k)
		}
	}
	return d
}

// full says whether this many more documents and bytes are beyond the bounds.
func (t *Twin) full(documents int, more int64) bool {
	w := t.params.Duplicates.Remember
	return w.Documents > 0 && len(t.window.documents)+documents > w.Documents || w.Memory > 0 && t.window.bytes+more > int64(w.Memory)
}

// room lets the oldest documents leave until this many more documents and bytes are within the bounds. Where a repeat
// keeps its representative, one that was repeated since it entered does not leave but enters again, and its age counts
// from the last repeat. The number of re-entries per entry is bounded. Beyond it, the oldest leaves if there is no room;
// if only its age drives it out, or bounds were narrowed, it waits for the next entry. After bounds were narrowed, a
// turn may be over before.
func (t *Twin) room(documents int, more int64, now *turn) {
	w := t.params.Duplicates.Remember
	for len(t.window.documents) > 0 {
		if t.over(now, more) {
			return
		}
		d, full := t.window.documents[0], t.full(documents, more)
		aged := w.Age > 0 && t.now()-d.entered >= w.Age.Milliseconds()
		again := t.params.Refreshes() && d.repeated && !d.dead && !t.old(d)
		switch {
		case !full && !aged:
			t.narrowing = false
			return
		case again && now.entries > 0:
			now.entries--
			t.again(t.leave(), now)
		case again && (!full || t.narrowing && now.freed >= more):
			return
		default:
			now.left++
			now.freed += d.bytes
			t.leave()
		}
	}
	t.narrowing = false
}

// again lets a representative that was repeated enter the window again.
func (t *Twin) again(d *document, now *turn) {
	t.stats.Reentered++
	d.entered, d.repeated = d.last, false
	if t.params.Duplicates.Remember.ReemitEvery == 0 { // then the last copy that came through is not remembered longer
		d.emission = emission{source: d.source, offset: d.entry.Offset, position: d.position, at: d.last}
	}
	before := t.looked
	if t.choose(&d.entry); t.looked.made {
		now.entries -= max(entry.TextLen(&d.entry), len(d.entry.Evidence)) / 8192
	}
	d.bytes = index.EntryBytes(t.params, &d.entry)
	t.linkAs(d, false)
	t.enter(d)
	for _, tag := range t.looked.popular {
		t.popular.use(tag)
	}
	t.looked = before
}

// keys returns the keys of an entry: all band keys together, and each of them.
func (t *Twin) keys(e *entry.Entry) []bandKey {
	if e.Empty() {
		return nil
	}
	keys := []bandKey{{band: -1, tag: window.KeysTag(e.Keys)}}
	for key := range slices.Chunk(e.Keys, entry.KeyBytes) {
		keys = append(keys, bandKey{band: len(keys) - 1, tag: window.BandTag(key)})
	}
	return keys
}
