package index

import (
	"unicode/utf8"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
)

// ComparedText is how many bytes of a normalised text verify: levenshtein keeps and compares: the time for two texts grows with
// the product of their lengths, and the stream waits for it. At this length the worst pair takes tens of milliseconds
// (BenchmarkLevenshteinWorst).
const ComparedText = 32 << 10

// levenshtein is the ratio 1 - distance / length of the longer text, in runes, of the texts.
type levenshtein struct {
	least     int // ten-thousandths
	compare   sketch.Levenshtein
	own, them []byte
	plain
}

// cost is the longer text times the band of the edits that the threshold allows, 128 cells of the table a step: as many as are
// computed in its time (BenchmarkHostile).
func (x *levenshtein) cost(own, candidate *entry.Entry) int {
	longer := min(max(entry.TextLen(own), entry.TextLen(candidate)), ComparedText)
	return longer * (sketch.DistanceAt(x.least, longer) + narrowBand) / (2 * narrowBand)
}

// spent is less for texts that are alike: their band stays narrow.
func (x *levenshtein) spent(cost int, s Similarity) int {
	if s.Num == 0 {
		return cost
	}
	edits, allowed := int(s.Den-s.Num), sketch.DistanceAt(x.least, int(s.Den))
	return cost * (edits + narrowBand) / (allowed + narrowBand)
}

// narrowBand is the edits whose band costs no less than that of fewer.
const narrowBand = 64

func (x *levenshtein) method() Method { return Levenshtein }

func (x *levenshtein) begin(e *entry.Entry) { x.own = cut(readText(x.own, e), ComparedText) }

func (x *levenshtein) similarity(candidate *entry.Entry) Similarity {
	x.them = cut(readText(x.them, candidate), ComparedText)
	if len(x.own) == 0 || len(x.them) == 0 {
		return unlike()
	}
	num, den := x.compare.Similarity(x.own, x.them, x.least)
	return Similarity{Num: num, Den: den}
}

// readText returns an entry's text, in dst where there is room; nothing if it has none that can be read.
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

// FrontOf is what of a normalised text verify: levenshtein compares.
func FrontOf(normalized []byte) []byte { return cut(normalized, ComparedText) }

// cut returns the front of a text up to a number of bytes, and to the end of a rune.
func cut(text []byte, most int) []byte {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
