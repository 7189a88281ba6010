package naive

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// looked is what the latest lookup says of its entry: under which keys it is linked if it enters, and which keys it has
// that are popular or become so.
type looked struct {
	under   []bandKey
	fine    int // how many of them are fine keys
	popular []uint32
	made    bool // fine keys were made of the evidence
}

// candidates returns the documents to compare with e, the most promising first: of each key the newest that are
// remembered, without those whose digests rule them out. full says that more documents may have one of the keys.
func (t *Twin) candidates(e *entry.Entry) (promising []*document, full bool) {
	own, fine, most := t.keys(e), t.choose(e), t.params.Duplicates.MaxReferences
	limit, left := t.limit(e), 16*most
	differ, met := map[*document]int{}, make([]int, len(own)+len(fine))
	all := slices.Concat(own[:1], fine, own[1:])
	for i, k := range all {
		isFine := i > 0 && i <= len(fine)
		is := slices.DeleteFunc(t.shelf(k), func(d *document) bool {
			return isFine && slices.Contains(t.keys(&d.entry), k) || !isFine && !t.sameKey(k.band, e, &d.entry)
		})
		is = is[:min(len(is), most, left)]
		met[i] = len(is)
		left -= len(is)
		for _, d := range is {
			if n := distance(e.Digest, d.entry.Digest); n <= limit {
				differ[d] = n
			}
		}
	}
	full = left == 0
	t.stats.Full += count(full)
	for i, n := range met {
		if n >= min(16, most) {
			t.looked.popular = append(t.looked.popular, all[i].tag)
		}
		t.stats.Full += count(n == most)
		full = full || n == most
	}
	return slices.SortedFunc(maps.Keys(differ), func(a, b *document) int {
		return cmp.Or(cmp.Compare(differ[a], differ[b]), cmp.Compare(a.place, b.place))
	}), full
}

// choose returns the fine keys under which copies of e are looked for: none if no key of e is popular. It notes under
// which keys e would be linked.
func (t *Twin) choose(e *entry.Entry) (fine []bandKey) {
	t.looked = looked{}
	own := t.keys(e)
	for _, k := range own {
		if t.popular.has(k.tag) {
			t.looked.popular = append(t.looked.popular, k.tag)
		} else {
			t.looked.under = append(t.looked.under, k)
		}
	}
	if len(t.looked.popular) == 0 {
		return nil
	}
	var under []bandKey
	rare := 0
	for _, k := range t.looked.under {
		rare += count(k.band >= 0)
	}
	common := rare <= 3
	tags := t.fineTags(e)
	if t.cost(e, &entry.Entry{}) > t.params.Duplicates.MaxWork {
		tags = nil // it is compared with none
	}
	if t.looked.made = len(tags) > 0; !t.looked.made {
		t.looked.under = own
		return nil
	}
	for _, tag := range tags {
		k := bandKey{band: t.fineBand(tag, len(own)), tag: tag}
		if t.popular.has(tag) {
			t.looked.popular = append(t.looked.popular, tag)
			if common {
				fine = append(fine, k)
			}
			continue
		}
		if fine = append(fine, k); slices.Contains(own, k) {
			continue
		}
		if under = append(under, k); len(under) == 12 {
			break
		}
	}
	t.looked.fine = len(under)
	t.looked.under = append(t.looked.under, under...)
	return fine
}

// fineBand returns the band, of so many with that of all keys together, in which a fine key is.
func (t *Twin) fineBand(tag uint32, bands int) int {
	if band := int(tag) * bands / (1 << 27); band < bands-1 {
		return band
	}
	return -1
}

// count returns 1 for true.
func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// shelf returns the documents of the window under a key, the newest first, dead ones included.
func (t *Twin) shelf(k bandKey) (all []*document) {
	q := &t.window
	for _, d := range slices.Backward(q.byKey[k]) {
		if len(q.documents) == 0 || d.at < q.documents[0].place {
			break // the older ones have left too
		}
		if d.at == d.place {
			all = append(all, d.document)
		}
	}
	return all
}

// sameKey says whether two entries have the same key in a band, or for band -1 in all of them. Documents under a key may
// only have equal tags.
func (t *Twin) sameKey(band int, a, b *entry.Entry) bool {
	if band < 0 {
		return bytes.Equal(a.Keys, b.Keys)
	}
	return bytes.Equal(a.Keys[band*entry.KeyBytes:][:entry.KeyBytes], b.Keys[band*entry.KeyBytes:][:entry.KeyBytes])
}

// distance returns in how many bits two digests differ.
func distance(a, b []byte) (n int) {
	for i := range min(len(a), len(b)) {
		n += bits.OnesCount8(a[i] ^ b[i])
	}
	return n
}

// limit returns the greatest number of bits in which the digest of a candidate may differ from that of e.
func (t *Twin) limit(e *entry.Entry) int {
	p := t.params.Duplicates
	num, den := int(math.Round(p.Threshold*10000)), 10000
	switch {
	case p.Verify == "estimate" && p.EstimatedBy() == compare.Hamming:
		return p.Distance
	case p.Verify == "estimate":
		return t.cached([3]int{num, p.Slots}, func() int { return codesLimit(num, p.Slots) })
	case p.Verify == "levenshtein":
		shingling := t.shingling.Chars()
		if shingling == 0 {
			return 256
		}
		return t.oddLimit(2 * shingling * t.edits(min(entry.TextLen(e)*den/num, compare.ComparedText)))
	}
	n := entry.TextLen(e)
	if set, ok := t.shingles(e); ok && !t.keepsText() {
		n = 0
		for _, of := range set.counts {
			n += of
		}
	}
	return t.oddLimit(n * (den - num) / num)
}

// mayReach says whether two entries may be similar enough, by their lengths and digests.
func (t *Twin) mayReach(a, b *entry.Entry) bool {
	p, apart := t.params.Duplicates, distance(a.Digest, b.Digest)
	switch {
	case p.Verify == "levenshtein":
		x, y := entry.TextLen(a), entry.TextLen(b)
		edits, size := t.edits(max(x, y)), t.shingling.Chars()
		return max(x-y, y-x) <= 4*edits && (size == 0 || apart <= t.oddLimit(2*size*edits))
	case p.Verify == "estimate" || t.keepsText():
		return true
	}
	x, y := entry.ShinglesLen(a), entry.ShinglesLen(b)
	need := 1
	for need < x+y && !t.near(compare.Similarity{Num: uint32(need), Den: uint32(x + y - need)}, compare.Jaccard) {
		need++
	}
	return need <= min(x, y) && apart <= t.oddLimit(x+y-2*need)
}

func (t *Twin) cached(of [3]int, compute func() int) int {
	if _, is := t.limits[of]; !is {
		t.limits[of] = compute()
	}
	return t.limits[of]
}

// oddLimit returns the greatest number of bits in which the odd sketches of sets differ that differ in so many shingles,
// except for one pair in a thousand. Beyond 1023 shingles it is that of 1023.
func (t *Twin) oddLimit(shingles int) int {
	n := min(shingles, 1023)
	return t.cached([3]int{n}, func() int {
		odd := []float64{256: 0}
		odd[0] = 1
		for range n {
			next := make([]float64, len(odd))
			for k, p := range odd[:256] {
				next[k+1] += p * float64(256-k) / 256
			}
			for k, p := range odd[1:] {
				next[k] += p * float64(k+1) / 256
			}
			odd = next
		}
		return beyond(odd)
	})
}

// beyond returns the least number that is exceeded by no more than one in a thousand.
func beyond(probability []float64) (least int) {
	sum := 0.0
	for n := min(256, len(probability)-1); n > 0; n-- {
		if sum += probability[n]; sum > 0.001 {
			return n
		}
	}
	return 0
}

// codesLimit returns the greatest number of bits in which the first 256 bits of codes differ, if the similarity is
// estimated at the threshold, except for one pair in a thousand.
func codesLimit(tenThousandths, slots int) int {
	const codeBits, size = 4, 16
	need := (tenThousandths*slots*(size-1) + 10000*slots) / (10000 * size)
	front, differ := min(256/codeBits, slots), slots-need
	sum, bits := make([]float64, codeBits*(front+2)), []float64{1} // bits of k codes that differ
	for k := range front + 1 {
		p := choose(differ, k) * choose(need, front-k) / choose(slots, front)
		next := make([]float64, len(bits)+codeBits)
		for n, q := range bits {
			sum[n] += p * q
			for b := 1; b <= codeBits; b++ {
				next[n+b] += q * choose(codeBits, b) / float64(size-1)
			}
		}
		bits = next
	}
	return beyond(sum)
}

// choose returns the number of ways to choose k of n.
func choose(n, k int) float64 {
	if k > n {
		return 0
	}
	ways := 1.0
	for i := range k {
		ways = ways * float64(n-i) / float64(i+1)
	}
	return ways
}

// fineTags returns the tags of an entry's fine keys in their order.
func (t *Twin) fineTags(e *entry.Entry) (tags []uint32) {
	if e.Kind == entry.Sketch {
		return t.codeTags(e)
	}
	set, _ := t.fineShingles(e)
	var sorted []uint64
	for hash, n := range set.counts {
		for range n {
			sorted = append(sorted, hash>>max(0, set.bits-20))
		}
	}
	slices.Sort(sorted)
	for i := 1; i < min(64, len(sorted)); i++ {
		if sorted[i-1] != sorted[i] {
			tags = append(tags, index.FineTag(e.Scope, sorted[i-1], sorted[i]))
		}
	}
	return tags
}

// fineShingles returns the shingles that fine keys are made of.
func (t *Twin) fineShingles(e *entry.Entry) (hashes, bool) {
	if t.params.Duplicates.Verify != "levenshtein" {
		return t.shingles(e)
	}
	normalized, err := entry.DecompressText(nil, e.Evidence)
	return newHashes(t.shingling.AppendHashes(nil, compare.FrontOf(normalized)), 64, t.params.Duplicates.Weighted), err == nil
}

// codeTags makes fine keys of as many codes as make 16 bits: every so many of them, so that all are used.
func (t *Twin) codeTags(e *entry.Entry) (tags []uint32) {
	if t.params.Duplicates.EstimatedBy() == compare.Hamming {
		return nil
	}
	const size = 4
	groups := 8 * len(e.Evidence) / size / (16 / size)
	for g := range min(groups, 64) {
		key := uint64(0)
		for at := g; at < groups*(16/size); at += groups {
			for bit := size - 1; bit >= 0; bit-- {
				place := at*size + bit
				key = key<<1 | uint64(e.Evidence[place/8]>>(place%8)&1)
			}
		}
		tags = append(tags, index.FineTag(e.Scope, uint64(g), key))
	}
	return tags
}

// matchable says whether e can be a copy of a document.
func (t *Twin) matchable(d *document, e *entry.Entry) bool {
	return t.live(d) && d.entry.Scope == e.Scope
}

// cost returns the most that comparing two entries may take, in steps of max_work.
func (t *Twin) cost(a, b *entry.Entry) int {
	switch {
	case t.params.Duplicates.Verify == "estimate":
		return 1
	case t.params.Duplicates.Verify == "levenshtein":
		longer := min(max(entry.TextLen(a), entry.TextLen(b)), compare.ComparedText)
		return longer * t.widths(longer, t.edits(longer)) / 160
	case t.keepsText():
		return 6 * (entry.TextLen(a) + entry.TextLen(b))
	}
	return entry.ShinglesLen(a) + entry.ShinglesLen(b)
}

// spent returns the part of the cost that counts: less for near texts.
func (t *Twin) spent(cost int, s compare.Similarity) int {
	if t.params.Duplicates.Verify != "levenshtein" || !t.near(s, compare.Levenshtein) {
		return cost
	}
	longer := int(s.Den)
	return cost * t.widths(longer, int(s.Den-s.Num)) / t.widths(longer, t.edits(longer))
}

// widths returns the sum of the widths of the bands that are tried until one is as wide as the edits: 32, 128, 512 and
// so on, up to the edits allowed.
func (t *Twin) widths(longer, edits int) (sum int) {
	allowed := t.edits(longer)
	for width := 32; width < allowed; width *= 4 {
		if sum += width + 64; width >= edits {
			return sum
		}
	}
	return sum + allowed + 64
}
