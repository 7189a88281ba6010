package index

import (
	"math/bits"
	"slices"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/index/wire"
)

// A lookup finds documents through the references under its keys: the key of each band, the one of all bands together
// (window.KeysTag), and fine keys where band keys are popular. Of each key the newest duplicates.max_references are
// met, and of all keys lookupKeys times as many: first of the key of all bands, then of the fine keys, then of the
// bands. A document that is met is told apart by its digest, which reads no record. The others are its candidates: those
// whose digests differ in the fewest bits come first, and among equals the one indexed first.

// finder finds the documents that an entry may be like, and tells which of them can be matched.
type finder struct {
	params  Params // in force
	window  *window.Window
	buckets *window.Buckets // of the window
	verify  *compare.Comparer
	clocks  *clocks
	sources *sources
	popular popular

	looked    look        // of the entry at hand
	candidate entry.Entry // scratch memory
}

// lookupKeys is for how many keys with duplicates.max_references documents each a lookup has time.
const lookupKeys = 16

// fewOwn is how many band keys that are not popular are too few to find a copy by them.
const fewOwn = 3

// look is what a lookup asks for, and what it has found.
type look struct {
	digest  entry.Digest
	most    int          // greatest number of bits in which the digest of a candidate may differ; -1: not yet known
	fine    []uint32     // tags of the fine keys that are looked up
	counts  []int        // references met under each key: of the bands, of all together, fine keys
	left    int          // and may still be met
	renewed []uint32     // tags of keys that are popular, or become so if the document enters
	links   window.Links // of the document if it enters
	ranks   []rank       // candidates
	full    int          // keys that may have more documents than were met
	dropped int          // documents that their digests ruled out

	scratch []uint64 // fine keys
}

// look finds the candidates of an entry, the most promising first, and where it is to be linked.
func (x *finder) look(e *entry.Entry) {
	l, w := &x.looked, x.buckets
	x.choose(e)
	l.counts = append(l.counts, make([]int, w.Tables()+len(l.fine))...)
	x.meet()
	x.judgeKeys()
	slices.Sort(l.ranks)
	l.ranks = slices.Compact(l.ranks)
}

// choose begins the lookup of an entry: it chooses the keys.
func (x *finder) choose(e *entry.Entry) {
	l := &x.looked
	x.verify.Begin(e)
	l.links.Reset()
	*l = look{
		digest: entry.ReadDigest(e.Digest), most: -1, fine: l.fine[:0], counts: l.counts[:0],
		left: lookupKeys * x.params.Duplicates.MaxReferences, renewed: l.renewed[:0], ranks: l.ranks[:0],
		links: l.links, scratch: l.scratch,
	}
	x.buckets.Probe(e.Keys)
	x.chooseKeys(l)
}

// fineAhead returns the tags of the fine keys by which an entry would be looked up now.
func (x *finder) fineAhead(e *entry.Entry) []uint32 {
	if x.popular.cells == nil {
		return nil
	}
	x.choose(e)
	return slices.Clone(x.looked.fine)
}

// chooseKeys decides by what is popular whether fine keys are looked up, which, and where the entry is linked. An entry
// with few band keys of its own is looked for under popular fine keys too: the first of its kind are linked there.
// The entry's keys are probed, and the comparer has begun with it. It says whether fine keys were made of the evidence.
func (x *finder) chooseKeys(l *look) (made bool) {
	w, common := x.buckets, 0
	for b := range w.Tables() {
		if tag := w.Tag(b); x.popular.has(tag) {
			l.renewed = append(l.renewed, tag)
			l.links.Leave(b, w.Tables())
			common += int(wire.Flag(b < w.Bands()))
		}
	}
	if len(l.renewed) == 0 {
		return false
	}
	l.scratch, x.candidate = l.scratch[:0], entry.Entry{}
	if x.verify.Cost(&x.candidate) <= x.params.Duplicates.MaxWork { // else it is compared with none
		l.scratch = x.verify.Fine(l.scratch)
	}
	if len(l.scratch) == 0 {
		l.links.Everywhere()
		return false
	}
	for _, key := range l.scratch {
		tag := window.TagOf(key)
		popular := x.popular.has(tag)
		if !popular || w.Bands()-common <= fewOwn {
			l.fine = append(l.fine, tag)
		}
		if popular {
			l.renewed = append(l.renewed, tag)
			continue
		}
		if w.Own(tag) {
			continue
		}
		if l.links.Add(tag); l.links.Full() {
			break
		}
	}
	return true
}

// judgeKeys decides by what was met what becomes popular.
func (x *finder) judgeKeys() {
	l, most := &x.looked, x.params.Duplicates.MaxReferences
	for i, met := range l.counts {
		if met >= min(popularFrom, most) {
			l.renewed = append(l.renewed, x.lookedTag(i))
		}
		l.full += int(wire.Flag(met >= most))
	}
	l.full += int(wire.Flag(l.left == 0))
}

// lookedTag returns the tag of a key that is looked up: of a table, or behind these a fine key.
func (x *finder) lookedTag(i int) uint32 {
	if i < x.buckets.Tables() {
		return x.buckets.Tag(i)
	}
	return x.looked.fine[i-x.buckets.Tables()]
}

// meet finds candidates.
func (x *finder) meet() {
	l, w := &x.looked, x.buckets
	l.took(w.Bands(), w.Meet(w.Bands(), x.allowed(w.Bands())))
	for i, tag := range l.fine {
		l.took(w.Tables()+i, w.MeetFine(tag, x.allowed(w.Tables()+i)))
	}
	for from := 0; from < w.Bands(); from += window.Together {
		for m := w.Likely(from); m != 0; m &= m - 1 {
			if b := from + bits.TrailingZeros64(m); b < w.Bands() {
				l.took(b, w.Meet(b, x.allowed(b)))
			}
		}
	}
	met := w.Met()
	if len(met) == 0 {
		return
	}
	if l.most < 0 {
		l.most = x.verify.Limit()
	}
	x.addCandidates(met)
}

// allowed returns how many documents may still be met under a key, so that no more than max_references of it are met in
// all.
func (x *finder) allowed(key int) int {
	return min(x.params.Duplicates.MaxReferences-x.looked.counts[key], x.looked.left)
}

// took notes how many documents were met under a key.
func (l *look) took(key, n int) {
	if n == 0 {
		return
	}
	l.counts[key] += n
	l.left -= n
}

// addCandidates adds the documents that were met to the candidates, unless their digests rule them out.
func (x *finder) addCandidates(all []window.Met) {
	l := &x.looked
	for i := range all {
		m := &all[i]
		distance := l.digest.Distance(m.Digest())
		if distance > l.most {
			l.dropped++
			continue
		}
		l.ranks = append(l.ranks, rankOf(distance, m.Number()))
	}
}

// ruledOut returns documents that the latest lookup, of e, has met and that cannot be similar enough, by their digests or
// lengths: those that are most like e, the most promising first.
func (x *finder) ruledOut(e *entry.Entry, most int) (all []rank) {
	if most <= 0 {
		return nil
	}
	l, met := &x.looked, x.buckets.Met()
	for i := range met {
		if x.window.Files().Wanting() > most {
			return nil
		}
		f := found{}
		k := rankOf(l.digest.Distance(met[i].Digest()), met[i].Number())
		at, has := slices.BinarySearch(all, k)
		if at < most && !has && x.eligible(&f, k.ref(), e) && (k.by() > l.most || !x.promising(&f, k, e)) {
			all = slices.Insert(all, at, k)
			all = all[:min(len(all), most)]
		}
	}
	return all
}

// entered notes what is popular of the keys of the entry that was looked up last.
func (x *finder) entered() {
	for _, tag := range x.looked.renewed {
		x.popular.use(tag)
	}
	x.popular.enter(x.window)
}
