package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Classes of a code point in the canonical form.
type class uint32

const (
	separator class = iota // white space, controls, format characters, unassigned
	wordPart               // letters, marks, numbers
	digit                  // decimal digits, a part of words too
	symbol                 // punctuation and symbols
)

// Treatments: how a code point is brought into the normal form, without a look at its neighbours.
type treatment uint32

const (
	unknown treatment = iota // its entry isn't filled yet
	emit                     // becomes the bytes in the entry
	expand                   // becomes some of the expansions
	vanish                   // becomes nothing
	noted                    // unread, or a sign that may carry the text: becomes what its class does
	follow                   // a mark that stays as it is, unless it has to change places with the mark before it
	erase                    // becomes nothing; a mark, or an invisible character
	disturb                  // can only be treated together with its neighbours
)

// An entry of the table is made by asking canon, when the first code point of its batch is met. So the table always
// agrees with canon, and scripts that a Normalizer never meets cost nothing.
//
//	bits   0..23            24,25   26,27   28                    29..31
//	       emit: the bytes  length  class   1: it is a separator  treatment
//	       expand: length (6 bits), offset (18)
//	       follow: combining class
//
// Code points of the treatments emit, expand, vanish and noted are simple: they combine with nothing before them, so the text
// may be cut in front of them. They may combine with what follows, but that is then a code point of another treatment.
type entry uint32

const (
	tabled    = 0x20000 // code points below this have entries: all but rare ideographs and, in plane 14, tags
	batch     = 64      // entries filled at once
	gapBit    = 28
	offsetBit = 6
	maxOffset = 1 << 18
)

func makeEntry(t treatment, payload, length int) entry {
	return entry(uint32(t)<<29 | uint32(length)<<24 | uint32(payload))
}

func (e entry) treatment() treatment { return treatment(e >> 29) }
func (e entry) class() class         { return class(e >> 26 & 3) }
func (e entry) length() int          { return int(e >> 24 & 3) }
func (e entry) combining() int       { return int(e & 0xff) }
func (e entry) simple() bool         { t := e.treatment(); return t >= emit && t <= noted }

// expansion returns what e becomes, from the expansions.
func (m *mapper) expansion(e entry) []byte {
	from := e >> offsetBit & (maxOffset - 1)
	return m.expansions[from : from+e&(1<<offsetBit-1)]
}

// lookup returns the entry of r, below tabled.
func (m *mapper) lookup(r rune) entry {
	if e := m.entries[r]; e.treatment() != unknown {
		return e
	}
	for one := r &^ (batch - 1); one < r|(batch-1)+1; one++ {
		m.entries[one] = m.entryOf(one) | entry(m.classify(one))<<26
	}
	return m.entries[r]
}

// entryOf makes the entry of r by asking canon about r alone. Where the answer is not certain, the treatment is
// disturb.
func (m *mapper) entryOf(r rune) entry {
	if !utf8.ValidRune(r) || r == joiner {
		return makeEntry(disturb, 0, 0)
	}
	src := utf8.AppendRune(nil, r)
	form := m.single.form(src)
	properties := norm.NFKC.Properties(src)
	switch {
	case len(form) == 0:
		return makeEntry(erase, 0, 0)
	case isUnread(r), m.punctuation != kept && carries(r) && string(form) == string(src):
		return makeEntry(noted, 0, 0)
	case properties.BoundaryBefore() && standsAlone(form):
		return m.simpleEntry(form)
	case properties.CCC() != 0 && string(form) == string(src) &&
		norm.NFKC.QuickSpan(append([]byte("a"), src...)) == 1+len(src):
		return makeEntry(follow, int(properties.CCC()), 0)
	}
	return makeEntry(disturb, 0, 0)
}

// standsAlone says whether nothing before form can combine with it, and no later mark has to be moved in front of one
// in it.
func standsAlone(form []byte) bool {
	last := norm.NFKC.Properties(form)
	if !last.BoundaryBefore() {
		return false
	}
	for i := last.Size(); i < len(form); i += last.Size() {
		last = norm.NFKC.Properties(form[i:])
	}
	return last.CCC() == 0
}

// simpleEntry makes an entry of a canonical form, as the options say.
func (m *mapper) simpleEntry(form []byte) entry {
	var out []byte
	for i := 0; i < len(form); {
		r, size := utf8.DecodeRune(form[i:])
		switch m.outcome(m.classify(r)) {
		case separated:
			if len(out) == 0 || out[len(out)-1] != ' ' {
				out = append(out, ' ')
			}
		case kept:
			out = append(out, form[i:i+size]...)
		case dropped:
		}
		i += size
	}
	switch {
	case len(out) == 0:
		return makeEntry(vanish, 0, 0)
	case string(out) == " ":
		return makeEntry(emit, ' ', 1) | 1<<gapBit
	case len(out) <= 3 && out[0] != ' ' && out[len(out)-1] != ' ':
		payload := 0
		for i, b := range out {
			payload |= int(b) << (8 * i)
		}
		return makeEntry(emit, payload, len(out))
	case len(m.expansions)+len(out) > maxOffset || len(out) >= 1<<offsetBit:
		return makeEntry(disturb, 0, 0)
	}
	at := len(m.expansions)
	m.expansions = append(m.expansions, out...)
	return makeEntry(expand, at<<offsetBit|len(out), 0)
}

// classify returns the class of r in the canonical form. U+FFFD, which is a symbol by itself, is unread.
func (m *mapper) classify(r rune) class {
	switch {
	case m.markup && (r == '<' || r == '&'), r == utf8.RuneError:
		return separator
	case unicode.IsDigit(r):
		return digit
	case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
		return wordPart
	case unicode.IsPunct(r) || unicode.IsSymbol(r):
		return symbol
	}
	return separator
}

// class returns what classify does, from the table.
func (m *mapper) class(r rune) class {
	if r < tabled {
		return m.lookup(r).class()
	}
	return m.classify(r)
}
