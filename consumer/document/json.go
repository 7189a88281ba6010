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
