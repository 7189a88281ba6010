package document

import (
	"bytes"
	"context"

	"github.com/unecho/unecho/sink"
)

// jsonObject is the format of values that are a JSON object.
type jsonObject struct{ *Reader }

func (r jsonObject) decode(_ context.Context, in Input, buf []byte) (Document, *Rejection, error) {
	if doc, blank := r.blank(in, buf); blank {
		return doc, nil, nil
	}
	doc, bad := r.read(in, buf)
	return doc, bad, nil
}

func (r jsonObject) read(in Input, buf []byte) (Document, *Rejection) {
	data, mark := bytes.CutPrefix(in.Value, []byte("\ufeff"))
	s := scanner{data: data, paths: r.paths}
	k, broken := s.scan()
	if broken != nil {
		at := broken.offset
		if mark {
			at += len("\ufeff")
		}
		return Document{}, reject(sink.InvalidJSON, "at byte %d: %s", at, broken.what)
	}
	if k != isObject {
		return Document{}, reject(sink.WrongType, "the value is %s, not an object", k)
	}
	c := composer{data: data, strict: r.strict, buf: buf[:0]}
	if r.when.fieldsUnmet(c, s.found[len(r.paths)-len(r.when.field):len(r.paths)]) {
		return Document{Unchecked: true, Buffer: buf}, nil
	}
	text, bad := c.text(r.paths[:r.fields], s.found[:r.fields])
	if bad != nil {
		return Document{}, bad
	}
	return r.label(in, &c, text, s.found[r.fields:len(r.paths)])
}

// label gives the document its id and its scope. found are the fields from which they are read, if they are fields.
func (r jsonObject) label(in Input, c *composer, text int, found []value) (Document, *Rejection) {
	doc := Document{ID: r.outerID(in), Empty: len(bytes.TrimSpace(c.buf[:text])) == 0}
	end, bad := text, (*Rejection)(nil)
	if r.id.kind == selectField {
		if _, bad = c.name("id", r.id.field, found[0]); bad != nil {
			return Document{}, bad
		}
		end, found = len(c.buf), found[1:]
	}
	if !doc.Empty {
		if doc.Scope, bad = r.scopeOf(in, c, found); bad != nil {
			return Document{}, bad
		}
	}
	doc.Text, doc.Buffer = c.buf[:text:text], c.buf
	if r.id.kind == selectField {
		doc.ID = c.buf[text:end:end]
	}
	return doc, nil
}

func (r jsonObject) scopeOf(in Input, c *composer, found []value) (scope uint64, bad *Rejection) {
	if r.scope.kind != selectField {
		scope, c.buf, bad = r.outerScope(in, c.buf)
		return scope, bad
	}
	start := len(c.buf)
	there, bad := c.name("scope", r.scope.field, found[0])
	if bad != nil {
		return 0, bad
	}
	if !there {
		return 0, reject(sink.MissingField, "no field %s, from which the scope is read", r.scope.field)
	}
	scope, c.buf = hashScope(selectField, c.buf[start:], c.buf)
	return scope, nil
}

// composer builds the text from the scanned values, in buf.
type composer struct {
	data   []byte
	strict bool
	buf    []byte
}

// text appends the fields, with line breaks between them, and returns where the text ends.
func (c *composer) text(paths []path, found []value) (end int, bad *Rejection) {
	for i, v := range found {
		if i > 0 {
			c.buf = append(c.buf, '\n')
		}
		switch {
		case v.off:
			return 0, reject(sink.WrongType, "on the way to field %s is %s, not an object", paths[i], v.kind)
		case v.kind == absent:
			return 0, reject(sink.MissingField, "no field %s", paths[i])
		case v.kind == isNull:
			return 0, reject(sink.MissingField, "field %s is null", paths[i])
		case v.kind == isString:
			bad = c.str(paths[i], v.start, v.end)
		case v.kind == isArray:
			bad = c.array(paths[i], v)
		default:
			bad = reject(sink.WrongType, "field %s is %s, not a string", paths[i], v.kind)
		}
		if bad != nil {
			return 0, bad
		}
	}
	return len(c.buf), nil
}

// str appends the string at data[start:end], which has its quotes.
func (c *composer) str(at path, start, end int) *Rejection {
	var valid bool
	c.buf, valid = appendString(c.buf, c.data[start+1:end-1])
	if !valid && c.strict {
		return reject(sink.InvalidEncoding, "not Unicode in field %s", at)
	}
	return nil
}

// array appends the strings of an array, with line breaks between them.
func (c *composer) array(at path, v value) *Rejection {
	s := scanner{data: c.data, pos: v.start + 1} // the array was scanned before, so there is no flaw
	s.blank()
	for n := 0; s.peek() != ']'; n++ {
		start := s.pos
		k, _ := s.value(0, 0)
		if k != isString {
			return reject(sink.WrongType, "element %d of field %s is %s, not a string", n, at, k)
		}
		if n > 0 {
			c.buf = append(c.buf, '\n')
		}
		if bad := c.str(at, start, s.pos); bad != nil {
			return bad
		}
		s.blank()
		if s.peek() == ',' {
			s.pos++
			s.blank()
		}
	}
	return nil
}

// name appends an id or a scope: a string, or a number as it is written. there is false if it is absent or null.
func (c *composer) name(what string, at path, v value) (there bool, bad *Rejection) {
	switch {
	case v.kind == absent || v.kind == isNull:
		return false, nil
	case v.off:
		return false, reject(sink.WrongType, "on the way to the %s in field %s is %s, not an object", what, at, v.kind)
	case v.kind == isNumber:
		c.buf = append(c.buf, c.data[v.start:v.end]...)
		return true, nil
	case v.kind == isString:
		return true, c.str(at, v.start, v.end)
	}
	return false, reject(sink.WrongType, "the %s in field %s is %s, neither a string nor a number", what, at, v.kind)
}
