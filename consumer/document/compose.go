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
	// join calls c.element with each element of the array to which the path of a number leads, and returns c.buf.
	join(c composer, number int, at path, v value) ([]byte, *Rejection)
}

// composer builds the text from the values that were found, in buf.
type composer struct {
	syntax syntax
	data   []byte
	reader *Reader
	as     treatment // of the field that is appended
	buf    []byte
}

// compose makes the document of a value of kind k, in which a finder has followed all paths.
func (r *Reader) compose(in Input, k kind, c composer, f *finder) (Document, *Rejection) {
	if k != isObject {
		return Document{}, reject(sink.WrongType, "the value is %s, not an object", k)
	}
	c.reader = r
	if r.when.fieldsUnmet(c, f.found[len(r.paths)-len(r.when.field):len(r.paths)]) {
		return Document{Unchecked: true, Buffer: c.buf}, nil
	}
	missing, bad := c.text(r.paths[:r.fields], f.found[:r.fields])
	if bad != nil {
		return Document{}, bad
	}
	text := len(c.buf)
	doc := Document{Text: c.buf[:text:text], Empty: len(bytes.TrimSpace(c.buf)) == 0, Missing: missing}
	if bad := r.label(&in, &c, &doc, f.found[r.fields:len(r.paths)-len(r.when.field)]); bad != nil {
		return Document{}, bad
	}
	return doc, nil
}

// text appends the fields, with the separator between those that are not empty, and returns which are missing.
func (c *composer) text(paths []path, found []value) (missing uint32, bad *Rejection) {
	for i, v := range found {
		if v.kind == absent || v.kind == isNull {
			missing |= 1 << i
			if bad == nil {
				bad = c.reader.missingField(paths[i], v)
			}
			continue
		}
		if bad != nil && !c.reader.lax {
			break
		}
		if bad := c.field(i, paths[i], v); bad != nil {
			return 0, bad
		}
	}
	if bad != nil && (!c.reader.lax || missing == 1<<len(found)-1) {
		return 0, bad
	}
	return missing, nil
}

func (r *Reader) missingField(at path, v value) *Rejection {
	remedy := ""
	if r.fields > 1 && !r.lax {
		remedy = " (document.missing)"
	}
	if v.kind == isNull {
		return reject(sink.MissingField, "field %s is null%s", at, remedy)
	}
	return reject(sink.MissingField, "no field %s%s", at, remedy)
}

// field appends a field, after the separator if there is text before it.
func (c *composer) field(i int, at path, v value) (bad *Rejection) {
	before := len(c.buf)
	if before > 0 {
		c.buf = append(c.buf, c.reader.separator...)
	}
	begins := len(c.buf)
	c.as = c.reader.as[i]
	switch {
	case v.off:
		return reject(sink.WrongType, "on the way to field %s is %s, not an object", at, v.kind)
	case v.kind == isString:
		bad = c.words(at, v)
	case v.kind == isArray:
		var joined []byte
		if joined, bad = c.syntax.join(*c, i, at, v); bad == nil {
			c.buf = joined
		}
	default:
		bad = reject(sink.WrongType, "field %s is %s, not a string", at, v.kind)
	}
	if len(c.buf) == begins {
		c.buf = c.buf[:before]
	}
	return bad
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

// element appends element n of an array, which must be a string, after the separator if it is not the first.
func (c *composer) element(n int, at path, v value) *Rejection {
	if v.kind != isString {
		return reject(sink.WrongType, "element %d of field %s is %s, not a string", n, at, v.kind)
	}
	if n > 0 {
		c.buf = append(c.buf, c.reader.separator...)
	}
	return c.words(at, v)
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
