package terminal

import (
	"bytes"
	"encoding/json"
	"io"
	"unicode"
	"unicode/utf8"
)

// WriteJSON writes a value as a line of JSON that does a terminal no harm: in its strings, what does not print or
// changes the direction of what follows is escaped. For programs it is the same value.
func WriteJSON(out io.Writer, value any) error {
	var line bytes.Buffer
	if err := json.NewEncoder(&line).Encode(value); err != nil {
		return err
	}
	_, err := out.Write(plain(line.Bytes()))
	return err
}

// Found is what a verb has found, for people. As JSON it is a promise to scripts.
type Found interface{ Text() string }

// Write writes what a verb has found: as a line of JSON, or as lines for people.
func Write(out io.Writer, asJSON bool, found Found) error {
	if asJSON {
		return WriteJSON(out, found)
	}
	_, err := io.WriteString(out, found.Text())
	return err
}

// plain escapes what encoding/json lets through: it escapes only what is below U+0020, U+2028 and U+2029.
func plain(line []byte) []byte {
	out, done := []byte(nil), 0 // line is copied only where something is to be escaped
	for i := 0; i < len(line); {
		if line[i] < utf8.RuneSelf && line[i] != 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(line[i:])
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) || r == '\u0085' {
			out = appendEscaped(append(out, line[done:i]...), r)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return line
	}
	return append(out, line[done:]...)
}

func appendEscaped(out []byte, r rune) []byte {
	const digits, pairs, half = "0123456789abcdef", 0x10000, 10
	if r >= pairs { // JSON has these as two surrogates (RFC 8259, section 7)
		r -= pairs
		return appendEscaped(appendEscaped(out, 0xd800+r>>half), 0xdc00+r&(1<<half-1))
	}
	return append(out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
