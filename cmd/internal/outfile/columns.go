package outfile

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Name returns a name as text, for JSON: of one that is no UTF-8, such as a file may have, each byte that belongs to no
// character is \xHH, and a backslash two. So different names stay different.
func Name[T string | []byte](name T) string {
	text := string(name)
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r == '\\':
			b.WriteString(`\\`)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// AppendTSV appends a line of columns, which UnescapeTSV reads. Characters that would end a column or a line are
// written as in Go: \t, \n, \r, and \\.
func AppendTSV(dst []byte, columns ...string) []byte {
	for i, c := range columns {
		if i > 0 {
			dst = append(dst, '\t')
		}
		if strings.ContainsAny(c, "\\\t\n\r") {
			c = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(c)
		}
		dst = append(dst, c...)
	}
	return append(dst, '\n')
}

// UnescapeTSV returns a column as it was before AppendTSV. Any other backslash stands for itself.
func UnescapeTSV(column string) string {
	if !strings.Contains(column, "\\") {
		return column
	}
	return strings.NewReplacer(`\\`, "\\", `\t`, "\t", `\n`, "\n", `\r`, "\r").Replace(column)
}
