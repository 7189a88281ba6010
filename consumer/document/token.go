package document

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// str scans the string whose opening quote is at pos.
func (s *scanner) str() *flaw {
	s.pos++
	for {
		s.pos += plain(s.data[s.pos:])
		switch s.peek() {
		case '"':
			s.pos++
			return nil
		case '\\':
			if bad := s.escape(); bad != nil {
				return bad
			}
		default:
			return s.flaw("a control character in a string")
		}
	}
}

// plain returns how many bytes at the start of data are neither quotes nor backslashes nor control characters.
func plain(data []byte) (n int) {
	for ; n+16 <= len(data); n += 16 {
		first, second := special(binary.LittleEndian.Uint64(data[n:])), special(binary.LittleEndian.Uint64(data[n+8:]))
		if first != 0 {
			return n + bits.TrailingZeros64(first)/8
		}
		if second != 0 {
			return n + 8 + bits.TrailingZeros64(second)/8
		}
	}
	for n < len(data) && data[n] >= ' ' && data[n] != '"' && data[n] != '\\' {
		n++
	}
	return n
}

// special returns a number whose lowest bit lies in the first of eight bytes that ends a run of plain ones, or 0 if none
// does. An xor makes a quote the space and a backslash zero, so that a subtraction borrows from the highest bit of
// exactly those bytes that are less than the next character; only behind such a byte may it borrow from another.
func special(eight uint64) uint64 {
	const each, high = 0x0101010101010101, 0x8080808080808080
	quote, backslash := eight^each*('"'^' '), eight^each*'\\'
	return ((quote-each*(' '+1))&^quote | (backslash-each)&^backslash) & high
}

// escape scans the escape sequence whose backslash is at pos.
func (s *scanner) escape() *flaw {
	s.pos++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return nil
	case 'u':
		s.pos++
		for range 4 {
			if _, ok := hexDigit(s.peek()); !ok {
				return s.flaw("four hexadecimal digits are expected")
			}
			s.pos++
		}
		return nil
	}
	return s.flaw("unknown escape sequence")
}

// number scans a number: -0.1e+2, without leading zeros, or Infinity.
func (s *scanner) number() *flaw {
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == 'I' {
		return s.word("Infinity")
	}
	if s.peek() == '0' {
		s.pos++
	} else if !s.digits() {
		return s.flaw("a digit is expected")
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return s.flaw("a digit is expected")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return s.flaw("a digit is expected")
		}
	}
	return nil
}

// digits skips digits and says whether there were any.
func (s *scanner) digits() bool {
	start := s.pos
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.pos++
	}
	return s.pos > start
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0'), true
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// appendString appends the meaning of a scanned string; raw is what stands between its quotes. valid says that it is
// Unicode: a lone surrogate becomes U+FFFD, and bytes that are not UTF-8 stay as they are.
func appendString(dst, raw []byte) (out []byte, valid bool) {
	valid = true
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			i = len(raw)
		}
		var ok bool
		dst, ok = appendBytes(dst, raw[:i])
		valid = valid && ok
		if i == len(raw) {
			return dst, valid
		}
		dst, raw, ok = appendEscape(dst, raw[i+1:])
		valid = valid && ok
	}
}

// appendEscape appends what the escape sequence after a backslash means, and returns what follows it.
func appendEscape(dst, raw []byte) (out, rest []byte, valid bool) {
	c, rest := raw[0], raw[1:]
	switch c {
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return appendUnit(dst, rest)
	}
	return append(dst, c), rest, true
}

// appendUnit appends the rune of four hexadecimal digits, or of a surrogate pair of two such escapes.
func appendUnit(dst, raw []byte) (out, rest []byte, valid bool) {
	r, rest := unit(raw), raw[4:]
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), rest, true
	}
	if len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
		if pair := utf16.DecodeRune(r, unit(rest[2:])); pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), rest[6:], true
		}
	}
	return utf8.AppendRune(dst, utf8.RuneError), rest, false
}

func unit(raw []byte) (r rune) {
	for _, c := range raw[:4] {
		d, _ := hexDigit(c) // the digits were scanned before
		r = r<<4 | d
	}
	return r
}

// appendBytes appends text, and says whether it is UTF-8.
func appendBytes(dst, text []byte) (out []byte, valid bool) {
	return append(dst, text...), utf8.Valid(text)
}
