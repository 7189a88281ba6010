package document

import (
	"errors"
	"strings"
)

// path leads to a value inside a JSON object: one object key per segment.
type path []string

// parsePath splits at dots. A backslash makes the following dot or backslash a part of the name.
func parsePath(text string) (path, error) {
	var out path
	var segment strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && (text[i+1] == '.' || text[i+1] == '\\'):
			i++
			segment.WriteByte(text[i])
		case c == '.':
			out = append(out, segment.String())
			segment.Reset()
		default:
			segment.WriteByte(c)
		}
	}
	out = append(out, segment.String())
	for _, s := range out {
		if s == "" {
			return nil, errors.New("a path with an empty name")
		}
	}
	return out, nil
}

// String writes the text that parsePath reads.
func (p path) String() string {
	escape := strings.NewReplacer(`\`, `\\`, `.`, `\.`)
	segments := make([]string, 0, len(p))
	for _, s := range p {
		segments = append(segments, escape.Replace(s))
	}
	return strings.Join(segments, ".")
}

// overlaps says whether one path begins with the other, because then they cannot both lead to a text.
func (p path) overlaps(q path) bool {
	for i := range min(len(p), len(q)) {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// selectorKind is where an id or a scope comes from.
type selectorKind string

const (
	selectNothing   selectorKind = ""
	selectKey       selectorKind = "key"
	selectPartition selectorKind = "partition"
	selectTopic     selectorKind = "topic"
	selectHeader    selectorKind = "header"
	selectField     selectorKind = "field"
)

// selector picks the id or the scope of a record.
type selector struct {
	kind   selectorKind
	header string // its name, for selectHeader
	field  path   // for selectField
}

// alone says that it has no name behind a colon.
func (s selector) alone() bool {
	return s.kind == selectKey || s.kind == selectPartition || s.kind == selectTopic
}

func parseSelector(text string) (selector, error) {
	kind, name, named := strings.Cut(text, ":")
	switch s := (selector{kind: selectorKind(kind)}); s.kind {
	case selectNothing, selectKey, selectPartition, selectTopic:
		if named {
			return selector{}, errors.New("unexpected colon")
		}
		return s, nil
	case selectHeader:
		s.header = name
		if name == "" {
			return selector{}, errors.New("the header has no name")
		}
		return s, nil
	case selectField:
		at, err := parsePath(name)
		s.field = at
		return s, err
	}
	return selector{}, errors.New("unknown word")
}
