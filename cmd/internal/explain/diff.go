package explain

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Piece is a run of words of the two texts.
type Piece struct {
	Words string
	In    Side
}

// Side says which of the two texts a piece is in.
type Side uint8

// Sides. Elided replaces words that both have, away from any change.
const (
	Both Side = iota
	OnlyA
	OnlyB
	Elided
)

// Diff compares the texts word by word, and leaves out words far from any change.
func (x *Explanation) Diff() []Piece { return Words(string(x.A.input.Text), string(x.B.input.Text)) }

// Words compares two texts word by word, and leaves out words far from any change. Of texts of the same words it
// returns nothing.
func Words(a, b string) []Piece {
	lines := func(s string) (lines []byte) {
		for _, word := range strings.Fields(s) {
			lines = append(append(lines, word...), '\n')
		}
		return lines
	}
	changes := strings.Split(string(diff.Diff("a", lines(a), "b", lines(b))), "\n")
	if len(changes) < 3 {
		return nil
	}
	var pieces []Piece
	for rest := changes[3:]; len(rest) > 0 && rest[0] != ""; { // behind the names, up to what follows the last line break
		n := 1
		for n < len(rest) && rest[n] != "" && rest[n][0] == rest[0][0] {
			n++
		}
		pieces = append(pieces, newPiece(rest[:n]))
		rest = rest[n:]
	}
	return pieces
}

// newPiece is made of lines that begin with the same mark: a word behind it, or the place of what follows.
func newPiece(lines []string) Piece {
	in := map[byte]Side{' ': Both, '-': OnlyA, '+': OnlyB, '@': Elided}[lines[0][0]]
	if in == Elided {
		return Piece{In: in}
	}
	words := make([]string, len(lines))
	for i, line := range lines {
		words[i] = line[1:]
	}
	return Piece{Words: strings.Join(words, " "), In: in}
}
