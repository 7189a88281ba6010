package naive

import (
	"bytes"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// document is an indexed document. It stays in the slice for ever; what is too old to be seen is merely not looked at.
type document struct {
	source    entry.Source
	entry     entry.Entry
	position  index.Position
	appliedAt int64  // stream time right after its own entry moved the clock
	before    int64  // bytes of all documents indexed before it
	copies    uint64 // how many documents it stands for, itself included
	dead      bool
}

// bandKey is one band's key of a document.
type bandKey struct {
	band int
	key  string
}

// judge moves the clock, looks for the best match and remembers the document if there is none. An empty document has
// nothing to compare: it is unique, and no later one is its copy.
func (t *Twin) judge(source entry.Source, e *entry.Entry, position index.Position) index.Verdict {
	t.happen(e.Time)
	verdict := index.Verdict{Offset: e.Offset, Position: position, Content: e.Content}
	if e.Empty() {
		return verdict
	}
	if best, similarity, method := t.best(e); best != nil {
		verdict.Match = t.match(best, similarity, method)
		return verdict
	}
	t.insert(source, e, position)
	return verdict
}

// match counts one more copy of d and says what it is a copy of.
func (t *Twin) match(d *document, similarity index.Similarity, method index.Method) index.Match {
	d.copies++
	return index.Match{
		Source: d.source, Topic: t.partition(d.source).name, Offset: d.entry.Offset, Position: d.position,
		Time: d.entry.Time, ID: string(d.entry.ID), Similarity: similarity, Method: method, Copy: d.copies,
	}
}

func (t *Twin) insert(source entry.Source, e *entry.Entry, position index.Position) {
	for _, k := range t.keys(e) {
		t.byKey[k] = append(t.byKey[k], len(t.documents))
	}
	t.documents = append(t.documents, document{
		source: source, entry: e.Clone(), position: position, appliedAt: t.now(), before: t.bytes, copies: 1,
	})
	t.bytes += index.EntryBytes(t.params, e)
}

// best is the most similar of the candidates that reach the threshold, the one judged first among equals, or nil.
func (t *Twin) best(e *entry.Entry) (*document, index.Similarity, index.Method) {
	var (
		best       *document
		similarity index.Similarity
		method     index.Method
	)
	verify := t.verifier(e)
	for _, i := range t.candidates(e) {
		d := &t.documents[i]
		s, m := verify(d)
		if !t.near(s) {
			continue
		}
		equal := best != nil && !similarity.Less(s) && !s.Less(similarity)
		if best == nil || similarity.Less(s) || equal && d.position.Before(best.position) {
			best, similarity, method = d, s, m
		}
	}
	return best, similarity, method
}

// candidates are the documents that are visible, alive, of the same scope, and among the newest MaxCandidates visible ones
// of an equal key in at least one band: their numbers, ascending.
func (t *Twin) candidates(e *entry.Entry) []int {
	var found []int
	for _, k := range t.keys(e) {
		looked := 0
		for _, i := range slices.Backward(t.byKey[k]) {
			if !t.visible(i) {
				break // the older ones are not visible either
			}
			if looked == t.params.Similarity.MaxCandidates {
				t.stats.Cut++
				break
			}
			looked++
			if d := &t.documents[i]; !d.dead && d.entry.Scope == e.Scope {
				found = append(found, i)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// visible says whether document i is within every bound of the window. All of them count from the newest document, so what
// is older than an invisible document is invisible as well. Dead documents take their place.
func (t *Twin) visible(i int) bool {
	w, d := t.params.Window, &t.documents[i]
	if w.Age > 0 && t.now()-d.appliedAt >= w.Age.Milliseconds() {
		return false
	}
	if w.Count > 0 && len(t.documents)-i > w.Count {
		return false
	}
	return w.Bytes == 0 || t.bytes-d.before <= int64(w.Bytes)
}

func (t *Twin) keys(e *entry.Entry) []bandKey {
	var keys []bandKey
	for key := range slices.Chunk(bytes.Clone(e.Keys), t.params.Similarity.KeyBytes) {
		keys = append(keys, bandKey{band: len(keys), key: string(key)})
	}
	return keys
}
