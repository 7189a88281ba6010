package corpus

import (
	"bytes"
	"encoding/csv"
)

// dialect is how CSV is written.
type dialect struct {
	comma   byte
	lenient bool // a quotation mark may stand anywhere
}

func (d dialect) reader(data []byte) *csv.Reader {
	in := csv.NewReader(bytes.NewReader(data))
	in.Comma, in.LazyQuotes = rune(d.comma), d.lenient
	return in
}

// rowEnd returns the length of the row of CSV that data begins with, or 0 if it does not end there. It ends where
// encoding/csv ends it, in rows with mistakes as well: those end with the line of the mistake.
func (d dialect) rowEnd(data []byte) int {
	quoted := false
	for end := 0; ; {
		n := bytes.IndexByte(data[end:], '\n') + 1
		if n == 0 {
			return 0
		}
		line := data[end : end+n]
		end += n
		if quoted || bytes.IndexByte(line, '"') >= 0 {
			quoted = d.quotedBehind(line, quoted)
		}
		if !quoted {
			return end
		}
	}
}

// quotedBehind says whether a quoted field goes on behind a line. quoted says whether the line begins within one.
func (d dialect) quotedBehind(line []byte, quoted bool) bool {
	for {
		if !quoted {
			if line[0] != '"' {
				at := bytes.IndexByte(line, d.comma)
				if at < 0 || !d.lenient && bytes.IndexByte(line[:at], '"') >= 0 {
					return false
				}
				line = line[at+1:]
				continue
			}
			line = line[1:]
		}
		at := bytes.IndexByte(line, '"')
		if at < 0 {
			return true
		}
		line = line[at+1:]
		switch {
		case len(line) == 0:
			return false
		case line[0] == '"': // a quotation mark
			line, quoted = line[1:], true
		case line[0] == d.comma:
			line, quoted = line[1:], false
		case d.lenient && line[0] != '\n' && string(line) != "\r\n": // it stands for itself
			quoted = true
		default: // the end of the line, or a mistake
			return false
		}
	}
}

// wholeRows returns the length of the whole rows at the front of data.
func (d dialect) wholeRows(data []byte) int {
	for end := 0; ; {
		n := d.rowEnd(data[end:])
		if n == 0 {
			return end
		}
		end += n
	}
}

// countRows counts the rows of data that holds whole ones only. encoding/csv passes over empty lines.
func (d dialect) countRows(data []byte) (n int) {
	for len(data) > 0 {
		end := d.rowEnd(data)
		if end == 0 {
			end = len(data)
		}
		if len(bytes.TrimRight(data[:end], "\r\n")) > 0 || end > 2 {
			n++
		}
		data = data[end:]
	}
	return n
}

// blanks are what JSON calls whitespace.
const blanks = " \t\r\n"

// valueEnd returns the length of the JSON value that data begins with, or 0 if it does not end there. It looks at
// brackets and quotes only: whether the value is JSON is for others to say.
func valueEnd(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			n := stringEnd(data[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 && i > 0 {
				return i
			}
		default: // a number or a word ends before what follows it
			if depth == 0 && i+1 < len(data) && bytes.IndexByte([]byte("{}[]\""), data[i+1]) >= 0 {
				return i + 1
			}
		}
	}
	return 0
}

// stringEnd returns the length of the string that data begins with, or 0 if it does not end there.
func stringEnd(data []byte) int {
	for end := 1; ; {
		n := bytes.IndexByte(data[end:], '"')
		if n < 0 {
			return 0
		}
		end += n + 1
		escapes := 0
		for data[end-2-escapes] == '\\' { // the quote that begins the string is none
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
	}
}

// nextValue returns the first of several values, with or without commas between them, and what follows it. closed says
// that a bracket closes the array before one comes; then rest is behind the bracket. Without either the value is
// empty, and rest begins with one that does not end.
func nextValue(data []byte) (value, rest []byte, closed bool) {
	data = bytes.TrimLeft(data, blanks+",")
	if len(data) > 0 && data[0] == ']' {
		return nil, data[1:], true
	}
	n := valueEnd(data)
	return data[:n], data[n:], false
}

// cutValue is nextValue in data that holds whole values only: a number or a word may end with it.
func cutValue(data []byte) (value, rest []byte) {
	value, rest, closed := nextValue(data)
	if len(value) == 0 && !closed {
		return rest, nil
	}
	return value, rest
}

// wholeValues returns the length of the whole values at the front of data, up to the end of the array.
func wholeValues(data []byte) int {
	for rest := data; ; {
		value, behind, _ := nextValue(rest)
		if len(value) == 0 {
			return len(data) - len(rest)
		}
		rest = behind
	}
}

// countValues counts the values of data that holds whole ones only.
func countValues(data []byte) (n int) {
	for value, rest := cutValue(data); len(value) > 0; value, rest = cutValue(rest) {
		n++
	}
	return n
}
