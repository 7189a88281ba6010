package naive

import (
	"cmp"
	"maps"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// judge moves the clock, looks for the best match and remembers the document if the settings say so. An empty document has
// nothing to compare: it is unique, and no later one is its copy.
func (t *Twin) judge(source entry.Source, e *entry.Entry, position index.Position) index.Verdict {
	t.happen(e.Time)
	entries := index.MostReentries
	t.room(0, 0, &entries)
	verdict := index.Verdict{Offset: e.Offset, Position: position, Content: e.Content}
	if e.Empty() {
		return verdict
	}
	d := &document{
		source: source, entry: e.Clone(), position: position, bytes: index.EntryBytes(t.params, e), entered: t.now(), copies: 1,
		emission: emission{source: source, offset: e.Offset, position: position, at: t.now()},
	}
	d.root = d
	if found := t.matches(e); len(found) > 0 {
		verdict.Match, verdict.Reemitted = t.match(found[0]), t.repeat(found[0].root, d)
		d.root = found[0].root
	}
	if d.root == d || t.params.KeepsAll() {
		if d.root != d {
			t.stats.Kept++
		}
		t.room(1, d.bytes, &entries)
		t.enter(d)
		t.room(0, 0, &entries)
	}
	return verdict
}

// repeat counts d as one more copy of a representative and says whether it comes through.
func (t *Twin) repeat(root, d *document) (through bool) {
	root.copies++
	root.repeated, root.last = true, t.now()
	every := t.params.Window.ReemitEvery.Milliseconds()
	if every == 0 || !root.emission.void && t.now()-root.emission.at < every {
		return false
	}
	if root.emission.void {
		t.stats.MadeUp++
	}
	root.emission = d.emission
	return true
}

// found is a candidate that reaches the threshold.
type found struct {
	*document
	similarity index.Similarity
	method     index.Method
}

// match says what the next document of the kind is a copy of.
func (t *Twin) match(f found) index.Match {
	d := f.root
	return index.Match{
		Source: d.source, Topic: t.partition(d.source).name, Offset: d.entry.Offset, Position: d.position,
		Time: d.entry.Time, ID: string(d.entry.ID), Similarity: f.similarity, Method: f.method, Copy: d.copies + 1,
	}
}

// Lookup returns what the index holds at least as similar to e as the threshold, the most similar first, up to most of them,
// and changes nothing.
func (t *Twin) Lookup(e *entry.Entry, most int) []index.Match {
	if e.Empty() {
		return nil
	}
	before := t.stats
	var all []index.Match
	for _, f := range t.matches(e) {
		if len(all) < most {
			all = append(all, t.match(f))
		}
	}
	t.stats = before
	return all
}

// Near returns every document the index holds at least as similar to e as the threshold, in the order in which they were
// judged, and changes nothing.
func (t *Twin) Near(e *entry.Entry) []index.Near {
	if e.Empty() {
		return nil
	}
	before := t.stats
	var all []index.Near
	for _, f := range t.nearby(e) {
		all = append(all, index.Near{
			Source: f.source, Offset: f.entry.Offset, Position: f.position, ID: f.entry.ID, Similarity: f.similarity, Method: f.method,
		})
	}
	t.stats = before
	slices.SortFunc(all, func(a, b index.Near) int {
		if a.Position.Before(b.Position) {
			return -1
		}
		return 1
	})
	return all
}

// matches are the nearest of each representative, in the order of nearby.
func (t *Twin) matches(e *entry.Entry) []found {
	var nearest []found
	for _, f := range t.nearby(e) {
		if !slices.ContainsFunc(nearest, func(n found) bool { return n.root == f.root }) {
			nearest = append(nearest, f)
		}
	}
	return nearest
}

// nearby are the candidates that reach the threshold, the most similar first and of equally similar ones the one that was
// judged first.
func (t *Twin) nearby(e *entry.Entry) []found {
	var all []found
	verify := t.verifier(e)
	promising := t.candidates(e)
	if most := t.params.Similarity.MaxCandidates; len(promising) > most {
		t.stats.Unverified += len(promising) - most
		promising = promising[:most]
	}
	for _, d := range promising {
		if s, m := verify(d); t.near(s, m) {
			all = append(all, found{document: d, similarity: s, method: m})
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		switch {
		case b.similarity.Less(a.similarity):
			return -1
		case a.similarity.Less(b.similarity):
			return 1
		case a.position.Before(b.position):
			return -1
		}
		return 1
	})
	return all
}

// candidates are the documents that are live, of the same scope, and among the newest MaxCandidates of the window with an
// equal key in at least one band, the most promising first. The dead take their place among the newest.
func (t *Twin) candidates(e *entry.Entry) []*document {
	bands := map[*document]int{}
	for _, k := range t.keys(e) {
		looked := 0
		for _, d := range slices.Backward(t.byKey[k]) {
			if len(t.window) == 0 || d.at < t.window[0].place {
				break // so have the older ones left
			}
			if d.at != d.place {
				continue
			}
			if looked == t.params.Similarity.MaxCandidates {
				t.stats.Cut++
				break
			}
			looked++
			if t.live(d.document) && d.entry.Scope == e.Scope {
				bands[d.document]++
			}
		}
	}
	return promising(bands)
}

// promising sorts documents by the number of bands they were found in, the most first, then by their places.
func promising(bands map[*document]int) []*document {
	return slices.SortedFunc(maps.Keys(bands), func(a, b *document) int {
		return cmp.Or(cmp.Compare(bands[b], bands[a]), cmp.Compare(a.place, b.place))
	})
}
