package document

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/unecho/unecho/sink"
)

// A syntax reads values that were found in data. The values are whole, because whoever found them has walked them. It
// does not change.
type syntax interface {
	// str appends a string. valid says that it is Unicode: a lone surrogate becomes U+FFFD, other bytes stay as they are.
	str(dst, data []byte, v value) (out []byte, valid bool)
	// join calls c.part with each element of the array to which the path of a number leads, or through which it leads further,
	// and returns what c.joined does.
	join(c composer, number int, at path, v value) ([]byte, *Rejection)
}

// composer builds the text from the values that were found, in buf.
type composer struct {
	syntax syntax
	data   []byte
	reader *Reader
	as     treatment // of the field that is appended
	count  int       // strings of it that were appended from an array
	buf    []byte
}

// compose makes the document of a value of kind k, in which a finder has followed all paths.
func (r *Reader) compose(in Input, k kind, c composer, f *finder) (Document, *Rejection) {
	if k != isObject {
		return Document{}, reject(sink.WrongType, "the value is %s, not an object", k)
	}
	c.reader = r
	if r.when.fieldsUnmet(&in, c, f.found[len(r.paths)-len(r.when.field):len(r.paths)]) {
		return Document{Unchecked: sink.ByCondition, Buffer: c.buf}, nil
	}
	labels := f.found[r.fields : len(r.paths)-len(r.when.field)]
	missing, bad := c.text(r.paths[:r.fields], f.found[:r.fields])
	if bad != nil {
		id, _ := r.idOf(&in, &c, labels[:r.idFields]) // one that is wrong as well is none
		return Document{ID: id}, bad
	}
	text := len(c.buf)
	doc := Document{Text: c.buf[:text:text], Empty: len(bytes.TrimSpace(c.buf)) == 0, Missing: missing}
	if bad := r.label(&in, &c, &doc, labels); bad != nil {
		return Document{ID: doc.ID}, bad
	}
	return doc, nil
}

// text appends the fields, with the separator between those that are not empty, and returns which are missing.
func (c *composer) text(paths []path, found []value) (missing uint32, bad *Rejection) {
	for i, v := range found {
		before := len(c.buf)
		wrong := c.field(i, paths[i], v)
		switch {
		case wrong == nil:
			continue
		case wrong.Reason != sink.MissingField || !c.reader.lax:
			return 0, wrong
		case bad == nil:
			bad = wrong
		}
		c.buf = c.buf[:before]
		missing |= 1 << i
	}
	if missing != 1<<len(found)-1 {
		bad = nil
	}
	return missing, bad
}

// field appends a field, after the separator if there is text before it.
func (c *composer) field(i int, at path, v value) (bad *Rejection) {
	if v.kind == absent || v.kind == isNull {
		return c.missing(at, v)
	}
	before := len(c.buf)
	if before > 0 {
		c.buf = append(c.buf, Separator...)
	}
	begins := len(c.buf)
	c.as, c.count = c.reader.as[i], 0
	switch {
	case v.off:
		return reject(sink.WrongType, "on the way to field %s is %s, not an object", at, v.kind)
	case v.kind == isString:
		bad = c.appendString(at, v)
	case v.kind == isArray:
		bad = c.array(i, at, v)
	default:
		bad = reject(sink.WrongType, "field %s is %s, not a string", at, v.kind)
	}
	if len(c.buf) == begins {
		c.buf = c.buf[:before]
	}
	return bad
}

// missing rejects a document because of a field that is not there. If it is one of several, it says what makes this possible.
func (c *composer) missing(at path, v value) *Rejection {
	remedy := ""
	if c.reader.fields > 1 && !c.reader.lax {
		remedy = " (" + c.reader.key + ".reject)"
	}
	if v.kind == isNull {
		return reject(sink.MissingField, "field %s is %s%s", at, c.nullOrNaN(v), remedy)
	}
	if v.kind == isArray {
		return reject(sink.MissingField, "no field %s in any element%s", at, remedy)
	}
	return reject(sink.MissingField, "no field %s%s", at, remedy)
}

// nullOrNaN is what a value is that counts as absent. A null is a word of JSON or one byte, and NaN is another word or more bytes.
func (c *composer) nullOrNaN(v value) string {
	const null = "null"
	if written := c.data[v.start:v.end]; len(written) > 1 && string(written) != null {
		return "NaN"
	}
	return null
}

func (c *composer) str(at path, v value) *Rejection {
	var valid bool
	c.buf, valid = c.syntax.str(c.buf, c.data, v)
	if !valid && c.reader.strict {
		return reject(sink.InvalidEncoding, "not Unicode in field %s", at)
	}
	return nil
}

// printable appends a string in which U+FFFD stands for each run of bytes that are not UTF-8.
func (c *composer) printable(at path, v value) *Rejection {
	from := len(c.buf)
	if bad := c.str(at, v); bad != nil || utf8.Valid(c.buf[from:]) {
		return bad
	}
	c.buf = append(c.buf[:from], bytes.ToValidUTF8(c.buf[from:], []byte(string(utf8.RuneError)))...)
	return nil
}

// array appends the strings of an array, or what the path of number i leads to in the objects that it has.
func (c *composer) array(i int, at path, v value) *Rejection {
	buf, bad := c.syntax.join(*c, i, at, v)
	if bad != nil {
		return bad
	}
	c.buf, c.count = buf, max(c.count, 1)
	return nil
}

// element appends element n of an array, which must be a string, after the separator if it is not the first one of the field.
func (c *composer) element(n int, at path, v value) *Rejection {
	if v.kind != isString {
		return reject(sink.WrongType, "element %d of field %s is %s, not a string", n, at, v.kind)
	}
	if c.count > 0 {
		c.buf = append(c.buf, Separator...)
	}
	c.count++
	return c.appendString(at, v)
}

// part appends element n of an array; where the path of number i leads further, it appends what that has led to in the element.
// What is missing there is passed over.
func (c *composer) part(i, n int, at path, array, element, found value) *Rejection {
	switch {
	case array.through == 0:
		return c.element(n, at, element)
	case element.kind == isNull, element.kind == isObject && (found.kind == absent || found.kind == isNull):
		return nil
	case element.kind != isObject:
		return reject(sink.WrongType, "on the way to field %s, element %d is %s, not an object", at, n, element.kind)
	case found.off:
		return reject(sink.WrongType, "on the way to field %s is %s, not an object", at, found.kind)
	case found.kind == isArray:
		if bad := c.array(i, at, found); bad != nil && bad.Reason != sink.MissingField {
			return bad
		}
		return nil
	case found.kind != isString:
		return reject(sink.WrongType, "field %s is %s, not a string", at, found.kind)
	}
	return c.element(n, at, found)
}

// joined ends an array: where a path leads through it, it leads to something in one element at least.
func (c *composer) joined(at path, array value) ([]byte, *Rejection) {
	if array.through > 0 && c.count == 0 {
		return nil, c.missing(at, array)
	}
	return c.buf, nil
}

// name appends an id or a scope: a string, or a number as JSON writes it. there is false if it is absent or null.
func (c *composer) name(what string, at path, v value) (there bool, bad *Rejection) {
	switch {
	case v.kind == absent || v.kind == isNull:
		return false, nil
	case v.off:
		return false, reject(sink.WrongType, "on the way to the %s in field %s is %s, not an object", what, at, v.kind)
	}
	switch v.kind {
	case isNumber:
		c.buf = append(c.buf, c.data[v.start:v.end]...)
		return true, nil
	case isSigned:
		c.buf = strconv.AppendInt(c.buf, int64(v.integer()), 10)
		return true, nil
	case isUnsigned:
		c.buf = strconv.AppendUint(c.buf, v.integer(), 10)
		return true, nil
	case isString:
		return true, c.printable(at, v)
	case absent, isNull, isBool, isFloat, isBytes, isOther, isArray, isObject:
	}
	return false, reject(sink.WrongType, "the %s in field %s is %s, neither a string nor a number", what, at, v.kind)
}
