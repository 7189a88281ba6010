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

// Side says in which of the two texts a piece stands.
type Side uint8

// Sides. Elided stands for words that both have, away from any change.
const (
	Both Side = iota
	OnlyA
	OnlyB
	Elided
)

// Diff compares the texts word by word, and leaves out what is far from any change.
func (x *Explanation) Diff() []Piece {
	lines := func(s string) (lines []byte) {
		for _, word := range strings.Fields(s) {
			lines = append(append(lines, word...), '\n')
		}
		return lines
	}
	var pieces []Piece
	changes := strings.Split(string(diff.Diff("a", lines(x.A.text), "b", lines(x.B.text))), "\n")
	if len(changes) < 3 {
		return nil
	}
	for _, change := range changes[3:] { // behind the names
		side := map[byte]Side{' ': Both, '-': OnlyA, '+': OnlyB, '@': Elided}
		if change == "" {
			continue
		}
		in := side[change[0]]
		word := change[1:]
		if in == Elided {
			word = ""
		}
		if last := len(pieces) - 1; last >= 0 && pieces[last].In == in && in != Elided {
			pieces[last].Words += " " + word
			continue
		}
		pieces = append(pieces, Piece{word, in})
	}
	return pieces
}
