package document

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"unicode/utf8"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/text"
	"github.com/unecho/unecho/sink"
)

// treatment says what the strings of a field are, if they are not text: a set of bits.
type treatment uint8

const (
	asBase64 treatment = 1 << iota // what is in it may be HTML
	asHTML
)

// Separator stands between several fields, and between the strings of an array.
const Separator = "\n"

// treat notes that fields are to be treated. Validate found all of them among the fields.
func (r *Reader) treat(names []string, as treatment) {
	for _, name := range names {
		for i, at := range r.paths[:r.fields] {
			if at.String() == canonicalPath(name) {
				r.as[i] |= as
			}
		}
	}
}

// canonicalPath returns the one text of a path, or nothing for a text that is none.
func canonicalPath(text string) string {
	at, _ := parsePath(text)
	return at.String()
}

// appendString appends a string of the text, as its field is treated.
func (c *composer) appendString(at path, v value) *Rejection {
	from := len(c.buf)
	if bad := c.str(at, v); bad != nil {
		return bad
	}
	if c.as&asBase64 != 0 {
		if bad := c.unbase64(from, at); bad != nil {
			return bad
		}
	}
	if c.as&asHTML != 0 {
		c.stripHTML(from)
	}
	return c.tooLarge()
}

// tooLarge rejects a text that the buffer holds alone.
func (c *composer) tooLarge() *Rejection {
	if most := c.reader.maxBytes; len(c.buf) > most {
		return reject(sink.TooLarge, "the text is longer than %d bytes, the limit (advanced.max_document_bytes)", most)
	}
	return nil
}

// unbase64 puts what the buffer holds in base64 from a place on in its place.
func (c *composer) unbase64(from int, at path) *Rejection {
	encoded := bytes.TrimSpace(c.buf[from:])
	for i, b := range encoded {
		switch b {
		case '-':
			encoded[i] = '+'
		case '_':
			encoded[i] = '/'
		}
	}
	encoding := base64.StdEncoding
	if bytes.IndexByte(encoded, '=') < 0 {
		encoding = base64.RawStdEncoding
	}
	end := len(c.buf)
	out, err := encoding.AppendDecode(c.buf, encoded)
	if err != nil {
		return reject(sink.Undecodable, "no base64 in field %s", at)
	}
	decoded := out[end:]
	if c.reader.strict && !utf8.Valid(decoded) {
		return reject(sink.InvalidEncoding, "not Unicode in the base64 of field %s", at)
	}
	c.buf = append(out[:from], decoded...)
	return nil
}

// stripHTML puts the text of the HTML that the buffer holds from a place on in its place.
func (c *composer) stripHTML(from int) {
	end := len(c.buf)
	out := text.AppendPage(c.buf, c.buf[from:])
	c.buf = append(out[:from], out[end:]...)
}

// wrongTreated checks that the fields of a list are fields of the text.
func (p Params) wrongTreated(key string, names []string, fielded string) (out []setting.Mistake) {
	if len(names) > 0 && !formatOf(p.Format).fields {
		return []setting.Mistake{setting.Wrong(key, names[0], p.Format+" has no fields", fielded)}
	}
	known := map[string]bool{}
	for _, field := range p.Fields {
		known[canonicalPath(field)] = true
	}
	for i, name := range names {
		if at := canonicalPath(name); at == "" || !known[at] {
			out = append(out, setting.Wrong(key+"["+strconv.Itoa(i)+"]", strconv.Quote(name), "is not one of text",
				"name it there, too, or remove it here"))
		}
	}
	return out
}
