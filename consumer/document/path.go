package document

import (
	"errors"
	"regexp"
	"strings"
)

// path leads to a value inside a JSON object: one object key per segment.
type path []string

// escapable are the characters before which a backslash may stand: they are part of the name then.
const escapable = `\.$/[`

// parsePath splits at dots. It refuses what is a path in another language: JSONPath ($.a), JSON Pointer (/a) or an index
// (a[0]). A backslash makes the following dot, backslash, dollar sign, slash or bracket a part of the name.
func parsePath(text string) (path, error) {
	if err := foreign(text); err != nil {
		return nil, err
	}
	var out path
	var segment strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(escapable, text[i+1]) >= 0:
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

// otherPaths are what paths of other languages begin with or hold, and no name does without a backslash.
var otherPaths = regexp.MustCompile(`^\$[.\[]|^/|(?:^|[^\\])\[(?:\d+|\*)?\]`)

// foreign is the error for a path of another language.
func foreign(text string) error {
	found := otherPaths.FindString(text)
	switch {
	case found == "":
		return nil
	case strings.HasPrefix(found, "$"):
		return errors.New(`a path begins with a name, not with "$"`)
	case found == "/":
		return errors.New(`a path begins with a name, not with "/"; dots stand between names`)
	}
	return errors.New("a path has no index: a name leads through all items of an array")
}

// ParsePath returns the names that lead to a field, as Params.Fields has it.
func ParsePath(text string) ([]string, error) { return parsePath(text) }

// PathTo writes names as ParsePath reads them.
func PathTo(names ...string) string { return path(names).String() }

// String writes the text that parsePath reads.
func (p path) String() string {
	escape := strings.NewReplacer(`\`, `\\`, `.`, `\.`, `[`, `\[`)
	segments := make([]string, 0, len(p))
	for _, s := range p {
		segments = append(segments, escape.Replace(s))
	}
	text := strings.Join(segments, ".")
	if strings.HasPrefix(text, "$") || strings.HasPrefix(text, "/") {
		text = `\` + text
	}
	return text
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
