package parts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/text"
)

// Unit is what a document is cut into.
type Unit string

// Units.
const (
	Paragraph Unit = "paragraph" // lines between blank ones
	Sentence  Unit = "sentence"  // as UAX #29 ends them; the end of a line ends one, too
	Line      Unit = "line"
)

// Units lists them.
func Units() []string { return []string{string(Paragraph), string(Sentence), string(Line)} }

// ParseUnit reads the name of a unit.
func ParseUnit(name string) (Unit, error) {
	if !slices.Contains(Units(), name) {
		return "", fmt.Errorf("%s is none of %s", name, strings.Join(Units(), ", "))
	}
	return Unit(name), nil
}

// Params say which parts are removed.
type Params struct {
	Unit    Unit
	Text    text.Params // how parts are normalised; there is no bound of their length
	Bytes   int         // a part whose normal form has fewer stays
	Repeats int         // a part goes that is there so often, but for the first; at least 2
	Memory  setting.Bytes
	Workers int
	Named   bool // several files are read, so a record without an id is called FILE:NUMBER
	Strict  bool // a document that is rejected is an error
	Keep    bool // an Outcome has Raw if it is rejected, too
}

// DefaultParams removes what is there twice and is longer than a few words.
func DefaultParams() Params {
	return Params{Unit: Sentence, Text: text.DefaultParams(), Bytes: 30, Repeats: 2, Memory: 4 * setting.GiB, Workers: 1}
}
