package corpus

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Span is where one of the texts of a record is written in Raw: a string of JSON, a column, a line or a whole file.
type Span struct {
	Start, End int // in Raw, without quotes
	form       form
}

// Range is a part of a text, in bytes of what it means.
type Range struct{ Start, End int }

// Spans appends where the texts of a record are that is not rejected.
func (c *Chunk) Spans(dst []Span, r *Record) []Span {
	switch {
	case isObjects(c.layout.format):
		for _, at := range c.layout.reader.Strings(nil, r.Raw) {
			dst = append(dst, Span{at.Start, at.End, escaped})
		}
		return dst
	case c.layout.format == CSV:
		return c.layout.csvTexts(dst, r.Raw)
	case c.layout.format == TSV:
		return c.layout.tsvTexts(dst, r.Raw)
	}
	return append(dst, Span{0, len(bytes.TrimRight(r.Raw, "\r\n")), plain})
}

func (l *layout) tsvTexts(dst []Span, raw []byte) []Span {
	from, line := 0, bytes.TrimRight(raw, "\r\n")
	for column := 0; from <= len(line); column++ {
		end := bytes.IndexByte(line[from:], '\t')
		if end < 0 {
			end = len(line) - from
		}
		if slices.Contains(l.text, column) {
			dst = append(dst, Span{from, from + end, plain})
		}
		from += end + 1
	}
	return dst
}

func (l *layout) csvTexts(dst []Span, raw []byte) []Span {
	in := l.dialect.reader(raw)
	in.ReuseRecord, in.FieldsPerRecord = true, -1
	fields, err := in.Read()
	if err != nil {
		return dst // it was read, so there is none
	}
	starts, last := make([]int, 0, len(fields)+1), len(bytes.TrimRight(raw, "\r\n"))
	lines := lineStarts(raw)
	for i := range fields {
		line, column := in.FieldPos(i)
		starts = append(starts, lines[line-1]+column-1)
	}
	starts = append(starts, last+1)
	for i := range fields {
		start, end := starts[i], starts[i+1]-1
		switch {
		case !slices.Contains(l.text, i):
		case start < end && raw[start] == '"':
			if end-1 > start && raw[end-1] == '"' {
				end--
			}
			dst = append(dst, Span{start + 1, end, quotedCSV})
		default:
			dst = append(dst, Span{start, end, bareCSV})
		}
	}
	return dst
}

func lineStarts(raw []byte) []int {
	starts := []int{0}
	for i, c := range raw {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// form is how a text is written.
type form uint8

const (
	plain     form = iota // as it is
	escaped               // a string of JSON
	quotedCSV             // a quoted column of CSV
	bareCSV               // one without quotes around it; where they are lenient, some may stand in it
)

// Decode appends what the text means, in valid UTF-8.
func (s Span) Decode(dst, raw []byte) []byte {
	for rest := raw[s.Start:s.End]; len(rest) > 0; {
		n := s.form.alike(rest)
		dst, rest = append(dst, rest[:n]...), rest[n:]
		if len(rest) > 0 {
			dst, n = s.form.unescape(dst, rest)
			rest = rest[n:]
		}
	}
	return dst
}

// AppendWithout appends the text as it is written, without ranges of what it means, which ascend. All else keeps its
// bytes, but for quotation marks of a column of CSV that would mean something else where they stand then.
func (s Span) AppendWithout(dst, raw []byte, cut []Range) []byte {
	from := len(dst)
	dst = s.appendWithout(dst, raw, cut)
	if s.form != bareCSV || len(dst) == from || dst[from] != '"' {
		return dst
	}
	rest := bytes.ReplaceAll(dst[from:], []byte(`"`), []byte(`""`)) // the first would begin a column in quotes
	return append(append(append(dst[:from], '"'), rest...), '"')
}

func (s Span) appendWithout(dst, raw []byte, cut []Range) []byte {
	at := 0 // of the meaning
	var meant [utf8.UTFMax]byte
	for rest := raw[s.Start:s.End]; len(rest) > 0; {
		for len(cut) > 0 && cut[0].End <= at {
			cut = cut[1:]
		}
		left, next := false, len(rest) // whether this is cut, and how far the next range is
		if len(cut) > 0 {
			left, next = cut[0].Start <= at, cut[0].Start-at
			if left {
				next = cut[0].End - at
			}
		}
		n := s.form.alike(rest[:min(len(rest), next)])
		means := n
		if n == 0 {
			var meaning []byte
			meaning, n = s.form.unescape(meant[:0], rest)
			means = len(meaning)
		}
		if !left {
			dst = append(dst, rest[:n]...)
			if s.form == quotedCSV && n == 1 && rest[0] == '"' { // what follows might be cut, and the column end here
				dst = append(dst, '"')
			}
		}
		at, rest = at+means, rest[n:]
	}
	return dst
}

// alike returns how many bytes at the front mean themselves.
func (f form) alike(raw []byte) int {
	i := 0
	for i < len(raw) {
		c := raw[i]
		switch {
		case f == escaped && c == '\\', f == quotedCSV && (c == '"' || c == '\r'):
			return i
		case c < utf8.RuneSelf:
			i++
			continue
		}
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return i
}

// unescape appends what the bytes at the front mean that do not mean themselves, and returns how many they are.
func (f form) unescape(dst, raw []byte) (out []byte, n int) {
	switch {
	case f == escaped && raw[0] == '\\':
		return unescapeJSON(dst, raw)
	case f == quotedCSV && raw[0] == '"':
		rest := bytes.TrimPrefix(raw[1:], []byte(`"`)) // it is written twice, or where quotes are lenient once
		return append(dst, '"'), len(raw) - len(rest)
	case f == quotedCSV && raw[0] == '\r':
		if len(raw) > 1 && raw[1] == '\n' {
			return append(dst, '\n'), 2
		}
		return append(dst, '\r'), 1
	}
	if r, n := utf8.DecodeRune(raw); r != utf8.RuneError || n > 1 {
		return append(dst, raw[:n]...), n // it is longer than what was asked for
	}
	return utf8.AppendRune(dst, utf8.RuneError), 1
}

// unescapeJSON does so for a backslash. The string was scanned before, so the escape is whole.
func unescapeJSON(dst, raw []byte) (out []byte, n int) {
	if raw[1] != 'u' {
		c := raw[1]
		if i := bytes.IndexByte([]byte("bfnrt"), c); i >= 0 {
			c = "\b\f\n\r\t"[i]
		}
		return append(dst, c), 2
	}
	r := unit(raw)
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), 6
	}
	if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		if pair := utf16.DecodeRune(r, unit(raw[6:])); pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), 12
		}
	}
	return utf8.AppendRune(dst, utf8.RuneError), 6
}

// unit is the number of an escape \uXXXX.
func unit(raw []byte) rune {
	r, _ := strconv.ParseUint(string(raw[2:6]), 16, 16) // it was scanned before
	return rune(r)
}
