package compare

import (
	"unicode/utf8"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// ComparedText is how many bytes of a normalised text verify: levenshtein keeps and compares. The time for two texts
// grows with the product of their lengths, and the stream waits for it. At this length the worst pair took some 20 ms
// (BenchmarkHostile of commit b3e456b8).
const ComparedText = 32 << 10

// levenshtein verifies by the ratio 1 - distance / length of the longer text, both in runes, from evidence of the kind
// Text.
type levenshtein struct {
	texts
	least     int // ten-thousandths
	size      int // characters of a shingle; 0: shingles are words
	limits    *oddLimits
	compare   sketch.Levenshtein
	own, them []byte
	set       []uint64
}

// cellsOfStep is how many cells of the dynamic programming table of two texts are computed in one step of
// duplicates.max_work (BenchmarkHostile of commit b3e456b8).
const cellsOfStep = 160

// cost assumes a pair as far apart as the threshold allows.
func (x *levenshtein) cost(own, candidate *entry.Entry) int {
	longer := min(max(entry.TextLen(own), entry.TextLen(candidate)), ComparedText)
	allowed := sketch.DistanceAt(x.least, longer)
	return sketch.Cells(longer, allowed, allowed) / cellsOfStep
}

// spent is less for texts that are alike, because narrow bands of the table suffice for them.
func (x *levenshtein) spent(cost int, s Similarity) int {
	if s.Num == 0 {
		return cost
	}
	longer, edits := int(s.Den), int(s.Den-s.Num)
	allowed := sketch.DistanceAt(x.least, longer)
	return cost * sketch.Cells(longer, edits, allowed) / sketch.Cells(longer, allowed, allowed)
}

func (x *levenshtein) method() Method { return Levenshtein }

func (x *levenshtein) require(least Similarity) { x.least = least.TenThousandths() }

func (x *levenshtein) begin(e *entry.Entry) { x.own = text.Cut(readText(x.own, e), ComparedText) }

func (x *levenshtein) similarity(candidate *entry.Entry) Similarity {
	x.them = text.Cut(readText(x.them, candidate), ComparedText)
	if len(x.own) == 0 || len(x.them) == 0 {
		return unlike()
	}
	num, den := x.compare.Similarity(x.own, x.them, x.least)
	return Similarity{Num: num, Den: den}
}

// limit follows from the edits that the threshold allows: each changes as many shingles of either text as there are
// characters in a shingle. Of words in place of characters nothing is known.
func (x *levenshtein) limit(e *entry.Entry) int {
	if x.size == 0 {
		return entry.DigestBits
	}
	longer := min(entry.TextLen(e)*Scale/max(x.least, 1), ComparedText)
	return x.limits.of(2 * x.size * sketch.DistanceAt(x.least, longer))
}

// fine makes shingles of what is compared of a text. Where verify was another one before, more of it may be kept.
func (x *levenshtein) fine(dst []uint64, e *entry.Entry) []uint64 {
	x.set = Sorted(&x.sorter, x.shingling.AppendHashes(x.set[:0], x.own), x.weighted)
	return appendPairs(dst, e.Scope, x.set, hashWidth)
}

// mayReach knows the length of the longer text. An edit changes up to four bytes of it.
func (x *levenshtein) mayReach(own, candidate *entry.Entry, distance int) bool {
	a, b := entry.TextLen(own), entry.TextLen(candidate)
	edits := sketch.DistanceAt(x.least, min(max(a, b), ComparedText))
	return max(a, b) > ComparedText || max(a-b, b-a) <= utf8.UTFMax*edits && (x.size == 0 || distance <= x.limits.of(2*x.size*edits))
}

// readText returns an entry's text, in dst if it fits there. It returns an empty text if the entry has none, or one
// that cannot be decompressed.
func readText(dst []byte, e *entry.Entry) []byte {
	if e.Kind != entry.Text {
		return dst[:0]
	}
	text, err := entry.DecompressText(dst, e.Evidence)
	if err != nil {
		return dst[:0]
	}
	return text
}

// FrontOf returns the part of a normalised text that verify: levenshtein compares.
func FrontOf(normalized []byte) []byte { return text.Cut(normalized, ComparedText) }
