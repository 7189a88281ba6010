package document

import (
	"errors"
	"math/bits"
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

// kind is what a value is.
type kind uint8

const (
	absent kind = iota
	isNull
	isBool
	isNumber // as JSON writes it
	isSigned // an integer
	isUnsigned
	isFloat
	isString
	isBytes
	isOther // a value of a kind of its own
	isArray
	isObject
)

// String names the kind for a rejection's detail.
func (k kind) String() string {
	return [...]string{
		"absent", "null", "a boolean", "a number", "an integer", "an integer", "a floating-point number", "a string",
		"bytes", "an extension", "an array", "an object",
	}[k]
}

// value is a value in data. A string or an array stands at data[start:end]; where its own quotes, brackets and lengths
// are is the format's business. Start and end of an integer are its halves; the node of a boolean is 1 if it is true. If a path leads through something that is
// not an object, off is set and the kind is that of the obstacle. The path of a text may lead through an array: then so many of
// its names have led to it.
type value struct {
	kind       kind
	off        bool
	through    uint16
	node       int32 // the format's own
	start, end int
}

// integer is the value of an integer's 64 bits.
func integer(k kind, bits uint64) value {
	return value{kind: k, start: int(uint32(bits >> 32)), end: int(uint32(bits))}
}

func (v *value) integer() uint64 { return uint64(uint32(v.start))<<32 | uint64(uint32(v.end)) }

// flaw is the place where a value breaks the rules of its format.
type flaw struct {
	offset int
	what   string
}

// finder notes in found where each of the wanted paths leads. Sets of paths are the bits of a word.
type finder struct {
	paths []path
	texts int                                           // so many of the paths, the first ones, may lead through arrays
	found [maxFields + 2*maxParts + maxConditions]value // one per path; an array, so that it stays off the heap
	names *[]string                                     // of the outermost object's fields; nil: nobody asks
}

func (f *finder) all() uint64 { return 1<<len(f.paths) - 1 }

// through returns the paths of want whose segment at depth is the key. It deletes what was found for them under an
// earlier key of the same name.
func (f *finder) through(want uint64, depth int, key []byte) uint64 {
	if depth == 0 && f.names != nil {
		*f.names = append(*f.names, string(key))
	}
	var out uint64
	for ; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		if len(f.paths[i]) > depth && f.paths[i][depth] == string(key) {
			out |= 1 << i
			f.found[i] = value{}
		}
	}
	return out
}

// note stores v for the paths of want that end at this depth. For longer paths it notes that they cannot be followed,
// unless v is an object or null, or an array through which a text may be found.
func (f *finder) note(want uint64, depth int, v value) {
	for ; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		switch {
		case len(f.paths[i]) == depth+1:
			f.found[i] = v
		case v.kind == isArray && i < f.texts:
			v.through = uint16(depth + 1) // no deeper than maxNesting
			f.found[i], v.through = v, 0
		case v.kind != isObject && v.kind != isNull:
			v.off = true
			f.found[i], v.off = v, false
		}
	}
}

// wanted is the set of the path of number i, if it leads further through the array that v is; else it is empty.
func (v *value) wanted(i int) uint64 {
	if v.through == 0 {
		return 0
	}
	return 1 << i
}

// take returns what was found for a path, and forgets it.
func (f *finder) take(i int) value {
	v := f.found[i]
	f.found[i] = value{}
	return v
}
