package document

import "bytes"

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
	places := &placeSyntax{before: len(json) - len(data), spans: dst}
	c := composer{syntax: places, data: data, reader: r}
	_, _ = c.text(r.paths[:r.fields], s.found[:r.fields])
	return places.spans
}

// placeSyntax notes where strings are, and reads all of them as empty.
type placeSyntax struct {
	jsonSyntax
	before int // bytes before the value
	spans  []Span
}

func (p *placeSyntax) str(dst, _ []byte, v value) (out []byte, valid bool) {
	p.spans = append(p.spans, Span{p.before + v.start + 1, p.before + v.end - 1})
	return dst, true
}
