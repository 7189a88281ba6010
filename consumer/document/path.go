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

// ParsePath returns the names that lead to a field, as Params.Fields has it.
func ParsePath(text string) ([]string, error) { return parsePath(text) }

// PathTo writes names as ParsePath reads them.
func PathTo(names ...string) string { return path(names).String() }

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
