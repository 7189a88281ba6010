package document

import "bytes"

// Span is where a string stands in a value: what is between its quotes.
type Span struct{ Start, End int }

// Strings appends where the strings of the fields are in a value of JSON that Read took: in the order in which they are
// the text. A value without them has none.
func (r *Reader) Strings(dst []Span, json []byte) []Span {
	data, mark := bytes.CutPrefix(json, []byte("\ufeff"))
	before := 0
	if mark {
		before = len("\ufeff")
	}
	s := scanner{finder: finder{paths: r.paths[:r.fields], texts: r.fields}, data: data}
	if k, broken := s.scan(); broken != nil || k != isObject {
		return dst
	}
	for i, v := range s.found[:r.fields] {
		if v.off {
			continue
		}
		switch v.kind {
		case isString:
			dst = append(dst, Span{before + v.start + 1, before + v.end - 1})
		case isArray:
			dst = r.appendElements(dst, data, i, v, before)
		case absent, isNull, isBool, isNumber, isSigned, isUnsigned, isFloat, isBytes, isOther, isObject:
		}
	}
	return dst
}

// appendElements appends the strings of an array, or those to which the path of number i leads in its objects.
func (r *Reader) appendElements(dst []Span, data []byte, i int, array value, before int) []Span {
	s := scanner{finder: finder{paths: r.paths[:r.fields], texts: r.fields}, data: data, pos: array.start + 1}
	for s.blank(); s.peek() != ']'; s.blank() {
		start := s.pos
		k, _ := s.value(int(array.through), array.wanted(i)) // it was scanned before, so there is no flaw
		v := value{kind: k, start: start, end: s.pos}
		if array.through > 0 {
			v = s.take(i)
		}
		switch {
		case v.kind == isString:
			dst = append(dst, Span{before + v.start + 1, before + v.end - 1})
		case v.kind == isArray && array.through > 0:
			dst = r.appendElements(dst, data, i, v, before)
		}
		s.blank()
		if s.peek() == ',' {
			s.pos++
		}
	}
	return dst
}
