package terminal

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/unecho/unecho/index/setting"
)

// maxMarks bounds the marks on one letter: they take no columns, and a thousand of them would cover the screen.
const maxMarks = 2

// Printable returns text made safe for one line of a terminal, in at most this many columns, with an ellipsis if it was
// longer. White space becomes a space. Characters that do not print, or change the direction of what follows, become Go
// escape sequences.
func Printable(text string, columns int) string {
	if columns <= 0 {
		return ""
	}
	var b strings.Builder
	used, marks := 0, 0
	cut := 0 // bytes that stay if an ellipsis is needed
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		piece, wide := glyph(text[:size], r)
		text = text[size:]
		if piece == " " && (used == 0 || strings.HasSuffix(b.String(), " ")) {
			continue
		}
		if wide == 0 {
			if marks++; marks > maxMarks {
				continue
			}
		} else {
			marks = 0
		}
		if used+wide > columns {
			return b.String()[:cut] + "…"
		}
		b.WriteString(piece)
		used += wide
		if used < columns {
			cut = b.Len()
		}
	}
	return b.String()
}

// Harmless returns text made safe for a terminal as Printable does it, but all of it, with its lines and indentation.
func Harmless(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		piece := text[:size]
		if r != '\n' {
			piece, _ = glyph(piece, r)
		}
		b.WriteString(piece)
		text = text[size:]
	}
	return b.String()
}

// Fit returns text made safe for one line of a terminal, in at most this many columns, with its spaces, and an
// ellipsis if it was longer.
func Fit(text string, columns int) string {
	text = strings.ReplaceAll(Harmless(text), "\n", " ")
	used, cut := 0, 0 // cut: bytes that stay if an ellipsis is needed
	for i, r := range text {
		_, wide := glyph(string(r), r)
		if used += wide; used > columns {
			if columns <= 0 {
				return ""
			}
			return text[:cut] + "…"
		}
		if used < columns {
			cut = i + utf8.RuneLen(r)
		}
	}
	return text
}

// glyph returns how a rune is shown, and its columns.
func glyph(raw string, r rune) (string, int) {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return escaped(raw)
	case unicode.IsSpace(r):
		return " ", 1
	case !unicode.IsPrint(r):
		return escaped(raw)
	case unicode.In(r, unicode.Mn, unicode.Me):
		return raw, 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return raw, 2
	case width.Neutral, width.EastAsianAmbiguous, width.EastAsianNarrow, width.EastAsianHalfwidth:
	}
	return raw, 1
}

func escaped(raw string) (string, int) {
	quoted := strconv.QuoteToASCII(raw)
	quoted = quoted[1 : len(quoted)-1]
	return quoted, len(quoted)
}

// Columns returns the width of a text that Printable returned.
func Columns(text string) int {
	sum := 0
	for _, r := range text {
		_, wide := glyph(string(r), r)
		sum += wide
	}
	return sum
}

// Pad fills a text that Printable returned with spaces.
func Pad(text string, to int) string { return text + strings.Repeat(" ", max(0, to-Columns(text))) }

// Grouped writes a number with commas between the thousands.
func Grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// FourDecimals writes ten-thousandths as the unecho-similarity header does.
func FourDecimals(similarity int) string {
	return fmt.Sprintf("%d.%04d", similarity/10000, similarity%10000)
}

// Several returns a count with its noun, for people.
func Several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "ch") {
		thing += "e"
	}
	return Grouped(n) + " " + thing + "s"
}

// Verb returns the form of a word that goes with a count.
func Verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// Mebibytes writes a size for people.
func Mebibytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// Gibibytes writes a size for people.
func Gibibytes(n int64) string { return fmt.Sprintf("%.2f GiB", float64(n)/float64(setting.GiB)) }

// Size writes a size for people, in the unit that suits it.
func Size(n int64) string {
	if n >= int64(setting.GiB) {
		return Gibibytes(n)
	}
	return Mebibytes(n)
}

// LongLine bounds the columns that a broker's answer can fill.
const LongLine = 2000

// Raise says which settings to raise, given their names, by their flags.
func Raise(settings []string) string {
	var b strings.Builder
	for i, name := range settings {
		switch {
		case i == 0:
			b.WriteString("raise ")
		case i == len(settings)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString("--" + strings.ReplaceAll(name, "_", "-"))
	}
	return b.String()
}

// Trimmed removes the blanks at the ends of lines.
func Trimmed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// Wrapped breaks paragraphs into lines of this many columns. Indented text stays as it is.
func Wrapped(text string, columns int) string {
	var paragraphs []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t") {
			paragraphs = append(paragraphs, paragraph)
			continue
		}
		var b strings.Builder
		at := 0
		for word := range strings.FieldsSeq(paragraph) {
			wide := Columns(word)
			switch {
			case at == 0:
			case at+1+wide > columns:
				b.WriteByte('\n')
				at = 0
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += wide
		}
		paragraphs = append(paragraphs, b.String())
	}
	return strings.Join(paragraphs, "\n\n")
}

// Bar fills a share, from 0 to 1, of this many columns, in eighths.
func Bar(share float64, columns int) string {
	eighths := int(math.Round(min(1, max(0, share)) * float64(8*columns)))
	text := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[part-1])
	}
	return text
}
