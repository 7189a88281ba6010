package document

import (
	"bytes"
	"context"

	"github.com/unecho/unecho/sink"
)

// jsonObject is the format of values that are a JSON object.
type jsonObject struct{ *Reader }

func (r jsonObject) decode(_ context.Context, in Input, buf []byte) (Document, *Rejection, error) {
	f, bad := r.unframe(&in) // which schema it has does not matter, because JSON names its own fields
	if bad != nil {
		return Document{}, bad, nil
	}
	in.Value = in.Value[f.skip:]
	if doc, blank := r.blank(in, buf); blank {
		return doc, nil, nil
	}
	doc, bad := r.read(in, f.skip, buf)
	return doc, bad, nil
}

// read reads a value before which some bytes stood.
func (r jsonObject) read(in Input, before int, buf []byte) (Document, *Rejection) {
	data, mark := bytes.CutPrefix(in.Value, []byte("\ufeff"))
	s := scanner{finder: r.finder(), data: data}
	s.names = in.Names
	k, broken := s.scan()
	if broken != nil {
		at := before + broken.offset
		if mark {
			at += len("\ufeff")
		}
		return Document{}, reject(sink.InvalidJSON, "at byte %d: %s", at, broken.what)
	}
	return r.compose(in, k, composer{syntax: jsonSyntax{}, data: data, buf: buf[:0]}, &s.finder)
}

// jsonSyntax reads values that the scanner found.
type jsonSyntax struct{}

func (jsonSyntax) str(dst, data []byte, v value) (out []byte, valid bool) {
	return appendString(dst, data[v.start+1:v.end-1]) // without its quotes
}

func (jsonSyntax) join(c composer, i int, at path, v value) ([]byte, *Rejection) {
	s := scanner{finder: c.reader.finder(), data: c.data, pos: v.start + 1} // the array was scanned before, so there is no flaw
	s.blank()
	for n := 0; s.peek() != ']'; n++ {
		start := s.pos
		k, _ := s.value(int(v.through), v.wanted(i))
		if bad := c.part(i, n, at, v, value{kind: k, start: start, end: s.pos}, s.take(i)); bad != nil {
			return nil, bad
		}
		s.blank()
		if s.peek() == ',' {
			s.pos++
			s.blank()
		}
	}
	return c.joined(at, v)
}

// Span is where a string stands in a value: what is between its quotes.
type Span struct{ Start, End int }

// Strings appends where the strings of the fields are in a value of JSON that Read took: in the order in which they are
// the text. A value without them has none.
func (r *Reader) Strings(dst []Span, json []byte) []Span {
	data := bytes.TrimPrefix(json, []byte("\ufeff"))
	s := scanner{finder: r.finder(), data: data}
	if k, broken := s.scan(); broken != nil || k != isObject {
		return dst
	}
	spans := &spanSyntax{before: len(json) - len(data), spans: dst}
	c := composer{syntax: spans, data: data, reader: r}
	_, _ = c.text(r.paths[:r.fields], s.found[:r.fields])
	return spans.spans
}

// spanSyntax notes where strings are, and reads all of them as empty.
type spanSyntax struct {
	jsonSyntax
	before int // bytes before the value
	spans  []Span
}

func (p *spanSyntax) str(dst, _ []byte, v value) (out []byte, valid bool) {
	p.spans = append(p.spans, Span{p.before + v.start + 1, p.before + v.end - 1})
	return dst, true
}

// maxNesting bounds how deep objects and arrays are nested. Real documents stay below ten. The bound keeps a megabyte
// of brackets from using up the stack.
const maxNesting = 512

// scanner walks a JSON text once. It checks the text, and notes in found where each of the wanted paths leads.
type scanner struct {
	finder
	data []byte
	pos  int
	key  []byte // the last key that had escapes, unescaped
}

// scan checks that data is one JSON value and returns its kind. It follows the paths through objects only.
func (s *scanner) scan() (kind, *flaw) {
	s.blank()
	k, bad := s.value(0, s.all())
	if bad != nil {
		return k, bad
	}
	s.blank()
	if s.pos < len(s.data) {
		return k, s.flaw("more after the end of the value")
	}
	return k, nil
}

func (s *scanner) flaw(what string) *flaw {
	if s.pos >= len(s.data) {
		what = "the value ends too early"
	}
	return &flaw{offset: s.pos, what: what}
}

// blank skips white space.
func (s *scanner) blank() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0 // no JSON token begins with it
}

// value scans the value at pos, which lies depth objects or arrays deep. The bits of want are the paths that have led
// here so far, one segment for each level.
func (s *scanner) value(depth int, want uint64) (kind, *flaw) {
	switch c := s.peek(); {
	case c == '"':
		return isString, s.str()
	case c == '{':
		return isObject, s.items('}', depth, want)
	case c == '[':
		return isArray, s.items(']', depth, 0)
	case c == '-' || c >= '0' && c <= '9' || c == 'I':
		return isNumber, s.number()
	case c == 'N': // as Python, pandas and others write what is missing
		return isNull, s.word("NaN")
	case c == 't':
		return isBool, s.word("true")
	case c == 'f':
		return isBool, s.word("false")
	case c == 'n':
		return isNull, s.word("null")
	}
	return absent, s.flaw("a value is expected")
}

func (s *scanner) word(word string) *flaw {
	for i := range len(word) {
		if s.peek() != word[i] {
			return s.flaw("unknown word")
		}
		s.pos++
	}
	return nil
}

// items scans an object or an array, by the bracket that ends it.
func (s *scanner) items(end byte, depth int, want uint64) *flaw {
	if depth == maxNesting {
		return s.flaw("nested too deeply")
	}
	s.pos++
	s.blank()
	if s.peek() == end {
		s.pos++
		return nil
	}
	for {
		var bad *flaw
		if end == '}' {
			bad = s.member(depth, want)
		} else {
			_, bad = s.value(depth+1, 0)
		}
		if bad != nil {
			return bad
		}
		s.blank()
		switch s.peek() {
		case ',':
			s.pos++
			s.blank()
		case end:
			s.pos++
			return nil
		default:
			if end == '}' {
				return s.flaw("a comma or closing brace is expected")
			}
			return s.flaw("a comma or closing bracket is expected")
		}
	}
}

// member scans one key and its value.
func (s *scanner) member(depth int, want uint64) *flaw {
	if s.peek() != '"' {
		return s.flaw("a key in quotes is expected")
	}
	start := s.pos
	if bad := s.str(); bad != nil {
		return bad
	}
	if want != 0 {
		want = s.follow(want, depth, s.data[start+1:s.pos-1])
	}
	s.blank()
	if s.peek() != ':' {
		return s.flaw("a colon is expected")
	}
	s.pos++
	s.blank()
	start = s.pos
	k, bad := s.value(depth+1, want)
	if bad != nil || want == 0 {
		return bad
	}
	v := value{kind: k, start: start, end: s.pos}
	if k == isBool && s.data[start] == 't' {
		v.node = 1
	}
	s.note(want, depth, v)
	return nil
}

// follow follows the paths of want through the key that stands between quotes.
func (s *scanner) follow(want uint64, depth int, raw []byte) uint64 {
	if bytes.IndexByte(raw, '\\') < 0 {
		return s.through(want, depth, raw)
	}
	s.key, _ = appendString(s.key[:0], raw)
	return s.through(want, depth, s.key)
}
