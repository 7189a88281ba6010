package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

// Layer is the kind of place that a value comes from. A higher layer outranks a lower one.
type Layer uint8

// Layers, from the lowest to the highest.
const (
	FromDefault Layer = iota
	FromFile
	FromEnvironment
	FromFlag
)

// Origin is where a value comes from.
type Origin struct {
	Layer Layer
	Name  string // the file, the variable, or the command line
	Line  int    // line in the file; 0 is unknown
	Via   string // file that the secret was read from
}

// String formats the origin for a person: default, unecho.yaml:3, UNECHO_LOG_LEVEL or command line.
func (o Origin) String() string {
	s := o.Name
	switch {
	case o.Layer == FromDefault:
		s = "default"
	case o.Line > 0:
		s += ":" + strconv.Itoa(o.Line)
	}
	if o.Via != "" {
		s += ", from " + o.Via
	}
	return s
}

// Mistake is one thing wrong with the configuration, and where.
type Mistake struct {
	setting.Mistake
	At Origin // the zero Origin for a value that is missing everywhere
}

// String formats the mistake as one line: place, key, value, what is wrong, what to do.
func (m Mistake) String() string {
	parts := make([]string, 0, 4)
	for _, part := range []string{m.origin(), m.Key, m.Value, m.Problem} {
		if part != "" {
			parts = append(parts, oneLine(part))
		}
	}
	s := strings.Join(parts, ": ")
	if m.Remedy != "" {
		s += "; " + oneLine(m.Remedy)
	}
	return s
}

func (m Mistake) origin() string {
	if m.At.Layer == FromDefault {
		return ""
	}
	return Origin{Layer: m.At.Layer, Name: m.At.Name, Line: m.At.Line}.String()
}

// Mistakes is everything wrong with the configuration, sorted by line, then by variable, then by flag.
type Mistakes []Mistake

// Error writes one line for each mistake.
func (ms Mistakes) Error() string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// ForPeople splits the error: all mistakes, and where to read about them.
func (ms Mistakes) ForPeople() (cause, remedy string) {
	return ms.Count() + " in the configuration: " + ms.Error(), "see `unecho config check --help`"
}

// Count returns the number of mistakes as text: 1 mistake, 6 mistakes.
func (ms Mistakes) Count() string {
	if len(ms) == 1 {
		return "1 mistake"
	}
	return strconv.Itoa(len(ms)) + " mistakes"
}

// sorted orders mistakes by place and drops repetitions, such as a key misspelt in two flags, or the same mistake found
// by two rooms.
func (ms Mistakes) sorted() Mistakes {
	slices.SortStableFunc(ms, func(a, b Mistake) int {
		return cmp.Or(
			cmp.Compare(a.rank(), b.rank()),
			cmp.Compare(a.At.Line, b.At.Line),
			cmp.Compare(a.At.Name, b.At.Name),
			cmp.Compare(a.Key, b.Key),
		)
	})
	return slices.Compact(ms)
}

// rank orders places: lines first, then what the file lacks, then variables and flags, then what is missing everywhere.
func (m Mistake) rank() int {
	switch {
	case m.At.Layer == FromFile && m.At.Line > 0:
		return 0
	case m.At.Layer == FromDefault:
		return 4
	}
	return int(m.At.Layer)
}

// maxShown bounds what is shown of a text that someone else wrote, in characters.
const maxShown = 200

// oneLine keeps texts that someone else wrote from breaking the line, or filling the terminal.
func oneLine(s string) string {
	var b strings.Builder
	shown := 0
	for _, r := range s {
		if shown++; shown > maxShown {
			return b.String() + fmt.Sprintf("... (%d bytes)", len(s))
		}
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
