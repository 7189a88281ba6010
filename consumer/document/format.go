package document

import (
	"bytes"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/unecho/unecho/index/text"
	"github.com/unecho/unecho/sink"
)

// A decoder reads the document from the values of one format. It does not change, so any number of goroutines may use
// it.
type decoder interface {
	// decode reads a value that is not empty. It may ask others, such as a registry of schemas, until ctx is done. An
	// error says only that they did not answer, and the record is read again later. A mistake in the record itself is a
	// Rejection, and must be the same on every member.
	decode(ctx context.Context, in Input, buf []byte) (Document, *Rejection, error)
}

type format struct {
	name    string // the word in the settings
	fields  bool   // a document has fields: text, id and scope may come from them
	framed  bool   // its values may have a framing
	schemas bool   // its values have schemas
	decoder func(r *Reader, from *source) (decoder, error)
}

// formats returns all formats. A further format is a file of its own, and a line here.
func formats() []format {
	return []format{
		{name: "raw", decoder: func(r *Reader, _ *source) (decoder, error) { return whole{r, false}, nil }},
		{name: "html", decoder: func(r *Reader, _ *source) (decoder, error) { return whole{r, true}, nil }},
		{name: "json", fields: true, framed: true, decoder: func(r *Reader, _ *source) (decoder, error) { return jsonObject{r}, nil }},
		{name: "avro", fields: true, framed: true, schemas: true, decoder: newAvro},
		{name: "protobuf", fields: true, framed: true, schemas: true, decoder: newProtobuf},
		{name: "msgpack", fields: true, decoder: func(r *Reader, _ *source) (decoder, error) { return packed{r, msgpackHead}, nil }},
		{name: "cbor", fields: true, decoder: func(r *Reader, _ *source) (decoder, error) { return packed{r, cborHead}, nil }},
	}
}

// formatOf finds a format by its name. For an unknown name it returns the first format.
func formatOf(name string) format {
	all := formats()
	return all[max(0, slices.IndexFunc(all, func(f format) bool { return f.name == name }))]
}

// blank returns the document of a value that is only white space.
func (r *Reader) blank(in Input, buf []byte) (doc Document, ok bool) {
	if len(bytes.TrimSpace(in.Value)) > 0 {
		return Document{}, false
	}
	return r.emptyDocument(in, buf), true
}

// whole is a format of values that are the text themselves, or a page of HTML, of which the text counts.
type whole struct {
	*Reader
	page bool
}

func (r whole) decode(_ context.Context, in Input, buf []byte) (Document, *Rejection, error) {
	if doc, blank := r.blank(in, buf); blank {
		return doc, nil, nil
	}
	if r.strict && !utf8.Valid(in.Value) {
		return Document{}, reject(sink.InvalidEncoding, "not UTF-8 at byte %d of the value", invalidAt(in.Value)), nil
	}
	c, doc := composer{reader: r.Reader, buf: buf[:0]}, Document{Text: in.Value}
	if r.page {
		c.buf = text.AppendPage(c.buf, in.Value)
		if bad := c.tooLarge(); bad != nil {
			return Document{}, bad, nil
		}
		doc.Text, doc.Empty = slices.Clip(c.buf), len(bytes.TrimSpace(c.buf)) == 0
	}
	return doc, r.label(&in, &c, &doc, nil), nil
}

func invalidAt(text []byte) int {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}
