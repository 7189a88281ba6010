package text

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// mapper brings text into canonical form, and applies the options for punctuation and space. Most code points need one
// look into its table. The others, and the code point before them, with which they may combine, are passed to canon.
type mapper struct {
	entries     [tabled]entry
	expansions  []byte
	single      *canon // asked for entries
	whole       *canon // asked for stretches
	punctuation outcome
	space       outcome // separated or dropped
	markup      bool    // < and & separate, because they would be markup the next time
	lanes       bool    // appendASCII gives the same result
	found       bool    // something unread was met, or a sign that may carry the text
}

// Outcomes: what a code point becomes in the normal form.
type outcome uint8

const (
	kept outcome = iota
	separated
	dropped
)

func newMapper(stripAccents, markup bool, punctuation, space outcome) *mapper {
	return &mapper{
		single: newCanon(stripAccents), whole: newCanon(stripAccents), punctuation: punctuation, space: space, markup: markup,
		lanes: punctuation == separated && space == separated,
	}
}

func (m *mapper) outcome(c class) outcome {
	switch c {
	case separator:
		return m.space
	case symbol:
		if m.punctuation == separated {
			return m.space
		}
		return m.punctuation
	case wordPart, digit:
	}
	return kept
}

// append appends src in the normal form, except that the result may end with a space. It looks at dst only behind
// start.
func (m *mapper) append(dst []byte, start int, src []byte) []byte {
	if ascii := asciiLen(src); m.lanes && (ascii == len(src) || ascii > 2*lane) {
		if ascii < len(src) {
			ascii-- // a mark may follow
		}
		dst = appendASCII(dst, start, src[:ascii])
		src = src[ascii:]
	}
	for len(src) > 0 {
		var read int
		if dst, read = m.appendSimple(dst, start, src); read == len(src) {
			break
		}
		disturbed := m.disturbedLen(src[read:])
		dst = m.appendWhole(dst, start, src[read:read+disturbed])
		src = src[read+disturbed:]
	}
	return dst
}

// appendWhole appends a stretch of text by means of canon. It defines the normal form; every faster way must agree with
// it.
func (m *mapper) appendWhole(dst []byte, start int, src []byte) []byte {
	m.found = m.found || m.notes(src)
	src = m.whole.form(src)
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		switch m.outcome(m.class(r)) {
		case kept:
			dst = append(dst, src[:size]...)
		case separated:
			dst = separate(dst, start)
		case dropped:
		}
		src = src[size:]
	}
	return dst
}

// disturbedLen returns how much of src has to be passed to canon: up to a few simple code points in a row.
func (m *mapper) disturbedLen(src []byte) int {
	const calm = 4
	run, end := 0, 0
	for i := 0; i < len(src) && run < calm; {
		r, size := utf8.DecodeRune(src[i:])
		switch {
		case i == 0 || r >= tabled || !m.lookup(r).simple():
			run = 0
		case run == 0:
			end = i
			fallthrough
		default:
			run++
		}
		i += size
	}
	if run == 0 {
		return len(src)
	}
	return end
}

const (
	// maxFollowing is how many marks in a row are processed one by one. canon counts marks, and puts a joiner between
	// the thirtieth and the next.
	maxFollowing = 4
	// room is the space in the output for what one step writes.
	room = 1<<offsetBit + lane
)

// appendSimple appends src up to where it has to go to canon, and returns how far it got.
func (m *mapper) appendSimple(dst []byte, start int, src []byte) ([]byte, int) {
	dst = slices.Grow(dst, len(src)+room)
	out, to := dst[:cap(dst)], len(dst)
	gap := gapBehind(dst, start)
	safe, before := 0, to // where the last simple code point begins in src, and where its result begins in out
	marks, last := 0, 0   // number of marks that followed it, and the combining class of the last
	for i := 0; i < len(src); {
		if len(out)-to < room {
			out = slices.Grow(out[:to], max(len(src)-i+room, to)) // doubles at least, where append would add a quarter
			out = out[:cap(out)]
		}
		if src[i] < utf8.RuneSelf && m.lanes && i+lane <= len(src) && src[i+1] < utf8.RuneSelf {
			i, to, before, gap = asciiLanes(out, src, i, to, gap)
			safe, marks, last = i-1, 0, 0
			continue
		}
		r, size := decode(src[i:])
		if r >= tabled {
			return out[:before], safe
		}
		e := m.entries[r]
		switch e.treatment() {
		case unknown:
			m.lookup(r)
			continue
		case emit:
			safe, before, marks, last = i, to, 0, 0
			binary.LittleEndian.PutUint32(out[to:], uint32(e))
			separates := uint64(e >> gapBit & 1)
			to += e.length() - int(separates&gap)
			gap = separates
			if i+size+4 <= len(src) && (src[i+size] >= utf8.RuneSelf || !m.lanes) {
				i, size, to, before, gap = m.emitMore(out, src, i, size, to, before, gap)
				safe = i
			}
		case vanish:
			safe, before, marks, last = i, to, 0, 0
		case expand:
			safe, before, marks, last = i, to, 0, 0
			to, gap = put(out, to, gap, m.expansion(e))
		case noted:
			m.found = true
			safe, before, marks, last = i, to, 0, 0
			if m.outcome(e.class()) == separated {
				to, gap = put(out, to, gap, []byte{' '})
			}
		case follow:
			if e.combining() < last || marks == maxFollowing {
				return out[:before], safe
			}
			to += copy(out[to:], src[i:i+size])
			marks, last, gap = marks+1, e.combining(), 0
		case erase:
		case disturb:
			return out[:before], safe
		}
		i += size
	}
	return out[:to], len(src)
}

// emitMore emits the code points of up to three bytes behind the one at i, of this size, while their entries say so. It
// leaves ASCII to asciiLanes where that may be called. It returns where the last one is and its size, and what
// appendSimple keeps beside them.
func (m *mapper) emitMore(out, src []byte, i, size, to, before int, gap uint64) (int, int, int, int, uint64) {
	for i+size+4 <= len(src) && to+4 <= len(out) {
		x := binary.LittleEndian.Uint32(src[i+size:])
		var r, more uint32
		switch {
		case x&0x80 == 0 && !m.lanes:
			r, more = x&0x7f, 1
		case x&0xc0c0f0 == 0x8080e0:
			r, more = x&0xf<<12|x>>2&0xfc0|x>>16&0x3f, 3
			if r < 0x800 {
				return i, size, to, before, gap
			}
		case x&0xc0e0 == 0x80c0 && x&0x1e != 0:
			r, more = x&0x1f<<6|x>>8&0x3f, 2
		default:
			return i, size, to, before, gap
		}
		e := m.entries[r]
		if e.treatment() != emit {
			return i, size, to, before, gap
		}
		i, size, before = i+size, int(more), to
		binary.LittleEndian.PutUint32(out[to:], uint32(e))
		separates := uint64(e >> gapBit & 1)
		to += e.length() - int(separates&gap)
		gap = separates
	}
	return i, size, to, before, gap
}

// asciiLanes folds the ASCII at i into words without repeated separators, eight bytes at a time as long as src has as
// many and out has room. It returns how far it got in src and in out, and where the result of the last byte begins. gap
// and next are what gapBehind returns before and behind.
func asciiLanes(out, src []byte, i, to int, gap uint64) (read, written, lastAt int, next uint64) {
	for n := lane; n == lane && i+lane <= len(src) && to+lane <= len(out); i += n {
		x := binary.LittleEndian.Uint64(src[i:])
		if high := x & highs; high != 0 {
			if n = bits.TrailingZeros64(high) / 8; n == 0 {
				break
			}
		}
		words, separators := foldASCII(x)
		top := 8 * (n - 1)
		repeated := separators & (separators<<8 | gap) & (1<<top<<8 - 1)
		binary.LittleEndian.PutUint64(out[to:], squeeze(words, repeated))
		to += n - bits.OnesCount64(repeated)
		lastAt, gap = to-1+int(repeated>>top&1), separators>>top&1
	}
	return i, to, lastAt, gap
}

// put writes text to out, without spaces that add nothing.
func put(out []byte, to int, gap uint64, text []byte) (int, uint64) {
	for _, c := range text {
		if c != ' ' {
			out[to] = c
			to, gap = to+1, 0
		} else if gap == 0 {
			out[to] = c
			to, gap = to+1, 1
		}
	}
	return to, gap
}

// decode is utf8.DecodeRune. It decodes code points of two bytes itself, and those of three that do not begin as a
// surrogate would.
func decode(src []byte) (rune, int) {
	c := src[0]
	if c < utf8.RuneSelf {
		return rune(c), 1
	}
	if len(src) > 2 && src[1]&0xc0 == 0x80 {
		if c >= 0xc2 && c < 0xe0 {
			return rune(c&0x1f)<<6 | rune(src[1]&0x3f), 2
		}
		r := rune(c&0xf)<<12 | rune(src[1]&0x3f)<<6 | rune(src[2]&0x3f)
		if c >= 0xe0 && c < 0xf0 && c != 0xed && src[2]&0xc0 == 0x80 && r >= 0x800 {
			return r, 3
		}
	}
	return utf8.DecodeRune(src)
}

// gapBehind returns 1 if a separator behind dst adds nothing, else 0.
func gapBehind(dst []byte, start int) uint64 {
	if inWord(dst, start) {
		return 0
	}
	return 1
}

// separate ends the word at the end of dst, if there is one.
func separate(dst []byte, start int) []byte {
	if inWord(dst, start) {
		return append(dst, ' ')
	}
	return dst
}

func inWord(dst []byte, start int) bool { return len(dst) > start && dst[len(dst)-1] != ' ' }

func trim(dst []byte, start int) []byte {
	if len(dst) > start && dst[len(dst)-1] == ' ' {
		return dst[:len(dst)-1]
	}
	return dst
}
