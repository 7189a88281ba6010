package document

import "bytes"

// Place is where a string stands in a value: what is between its quotes.
type Place struct{ Start, End int }

// Strings appends where the strings of the fields are in a value of JSON that Read took: in the order in which they are
// the text. A value without them has none.
func (r *Reader) Strings(dst []Place, json []byte) []Place {
	data, mark := bytes.CutPrefix(json, []byte("\ufeff"))
	before := 0
	if mark {
		before = len("\ufeff")
	}
	s := scanner{finder: finder{paths: r.paths[:r.fields]}, data: data}
	if k, broken := s.scan(); broken != nil || k != isObject {
		return dst
	}
	for _, v := range s.found[:r.fields] {
		if v.off {
			continue
		}
		switch v.kind {
		case isString:
			dst = append(dst, Place{before + v.start + 1, before + v.end - 1})
		case isArray:
			dst = appendElements(dst, data, v, before)
		case absent, isNull, isBool, isNumber, isSigned, isUnsigned, isFloat, isBytes, isOther, isObject:
		}
	}
	return dst
}

// appendElements appends the strings of an array.
func appendElements(dst []Place, data []byte, array value, before int) []Place {
	s := scanner{data: data, pos: array.start + 1} // it was scanned before, so there is no flaw
	for s.blank(); s.peek() != ']'; s.blank() {
		start := s.pos
		if k, _ := s.value(0, 0); k == isString {
			dst = append(dst, Place{before + start + 1, before + s.pos - 1})
		}
		s.blank()
		if s.peek() == ',' {
			s.pos++
		}
	}
	return dst
}
