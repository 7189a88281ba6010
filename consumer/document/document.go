package document

import (
	"context"
	"fmt"

	"github.com/cespare/xxhash/v2"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/sink"
)

// Input is the part of a Kafka record that is read. A nil Value is a tombstone.
type Input struct {
	Key, Value []byte
	Headers    []kgo.RecordHeader
	Topic      string
	Partition  int32
	// Names gets the names of the value's own fields, as far as it was walked; nil: nobody asks. Protobuf has none.
	Names *[]string
	// Unmet gets the condition for which the record is not checked, and what the record has; nil: nobody asks.
	Unmet *string
}

// Document is a record in the form in which it is compared. Its slices point into the Input, or into Buffer.
type Document struct {
	Text  []byte // what is not UTF-8 is as it was
	ID    []byte // empty means the coordinates
	Scope uint64 // 0: compared with all documents; else the hash of its scope's name
	Empty bool   // there is no text, or a blank one
	// Missing are the fields of the text that are not there, the first one in the lowest bit. Of a Rejection nothing is known.
	Missing uint32
	// Unchecked says why nobody asks whether it is a copy. Unless it is empty, nothing else is known but Buffer.
	Unchecked sink.UncheckedReason
	// Buffer is the buffer that was given to Read, grown as needed. The caller gives it to the next Read when this
	// Document is no longer used.
	Buffer []byte
}

// Rejection says why a record is no document.
type Rejection struct {
	Reason sink.Reason
	Detail string // printable, at most maxDetail bytes, without a word of the document
}

// Reader reads records by one set of Params. It does not change, so any number of goroutines may use it.
type Reader struct {
	maxBytes  int  // of the text
	whole     bool // the value is the text
	byDefault bool // and no setting says so
	decoder   decoder
	framing   framing
	strict    bool // invalid UTF-8 is rejected
	lax       bool // a field of several may be missing
	fullOnly  bool // empty documents are rejected
	id, scope selector
	paths     []path // the fields, then those that id and scope are read from
	fields    int    // how many of the paths are fields
	idFields  int    // how many of those behind them are for the id
	as        [maxFields]treatment
	when      when      // behind them are the paths of its fields
	key       string    // of the source, as details name it
	by        *dispatch // nil: all topics are read alike
}

// New returns a Reader for all topics alike, or the mistakes in p as one error.
func New(p Params) (*Reader, error) {
	if mistakes := p.Validate(); len(mistakes) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrParams, mistakes[0])
	}
	f := formatOf(p.Format)
	r := &Reader{
		maxBytes: int(p.MaxBytes), whole: !f.fields, byDefault: !f.fields && p.ByDefault, framing: framingOf(p.Schema.Framing), key: "sources",
		strict: p.Rejects(sink.InvalidEncoding), lax: !p.Rejects(sink.MissingField), fullOnly: p.Rejects(sink.Empty),
	}
	// Validate parsed all of them, so no error is possible.
	r.id, _ = parseSelector(p.ID)
	r.scope, _ = parseSelector(p.Scope)
	r.id.full = true // as an id that is empty is none
	r.when = newWhen(p.When)
	if f.fields {
		r.follow(p.Fields)
		r.treat(p.Base64, asBase64)
		r.treat(p.HTML, asHTML)
	}
	from, err := p.open()
	if err == nil {
		r.decoder, err = f.decoder(r, from)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParams, err)
	}
	return r, nil
}

func (r *Reader) finder() finder { return finder{paths: r.paths, texts: r.fields} }

// follow notes the paths of the fields, of those that id and scope are read from, and of the conditions.
func (r *Reader) follow(fields []string) {
	for _, field := range fields {
		at, _ := parsePath(field)
		r.paths = append(r.paths, at)
	}
	r.fields = len(r.paths)
	forID := r.id.fields()
	r.idFields = len(forID)
	r.paths = append(append(r.paths, forID...), r.scope.fields()...)
	r.paths = append(r.paths, r.when.paths...)
}

// EmptyRejection returns the rejection of a document of a topic without text, or nil if such a document is unique. The caller
// applies it to a Document that is Empty.
func (r *Reader) EmptyRejection(topic string) *Rejection {
	if !r.reads(topic).fullOnly {
		return nil
	}
	return reject(sink.Empty, "the document has no text to compare")
}

// Paths returns what is looked up in the values of a topic, and should be there: the fields of the text, and then those of id, scope
// and conditions, without the conditions that a document meets which lacks the field. Raw text has none.
func (r *Reader) Paths(topic string) (texts []string, others []Lookup) {
	r = r.reads(topic)
	for i, at := range r.paths {
		c := i - len(r.paths) + len(r.when.field)
		switch {
		case i < r.fields:
			texts = append(texts, at.String())
		case i < r.fields+r.idFields:
			others = append(others, Lookup{at.String(), "id"})
		case c < 0:
			others = append(others, Lookup{at.String(), "scope"})
		case !r.when.field[c].holds(false, false):
			others = append(others, Lookup{at.String(), "when"})
		}
	}
	return texts, others
}

// Lookup is a field that a setting of a source names.
type Lookup struct{ Field, Setting string }

// Read reads one record. It uses buf for what it must rewrite. The caller keeps the Input unchanged for as long as the
// Document is used. Exactly one of the results counts: the error if it is not nil, then the Rejection if it is not nil,
// then the Document. With a Rejection because of its text or its scope, the Document has its ID. Only formats that ask others return an
// error: then nothing is known of the record, and it is read again later.
func (r *Reader) Read(ctx context.Context, in Input, buf []byte) (Document, *Rejection, error) {
	r = r.reads(in.Topic)
	if r.when.unmet(&in) {
		return Document{Unchecked: sink.ByCondition, Buffer: buf}, nil, nil
	}
	if r.whole && len(in.Value) > r.maxBytes {
		return Document{}, reject(sink.TooLarge, "the value has %d bytes, the limit is %d (advanced.max_document_bytes)", len(in.Value), r.maxBytes), nil
	}
	if len(in.Value) == 0 {
		return r.labelled(r.emptyDocument(in, buf), nil, nil)
	}
	return r.labelled(r.decoder.decode(ctx, in, buf))
}

// labelled rejects a document whose id is too long for headers.
func (*Reader) labelled(doc Document, bad *Rejection, err error) (Document, *Rejection, error) {
	if err == nil && bad == nil && doc.Unchecked == "" && len(doc.ID) > sink.MaxIDBytes {
		return Document{}, reject(sink.TooLarge, "the id has %d bytes, the limit is %d", len(doc.ID), sink.MaxIDBytes), nil
	}
	return doc, bad, err
}

// emptyDocument returns the document of a record without text.
func (r *Reader) emptyDocument(in Input, buf []byte) Document {
	c := composer{reader: r, buf: buf[:0]}
	id, _ := r.idOf(&in, &c, nil) // only a field that is there is refused
	if r.when.fieldsUnmet(&in, composer{}, nil) {
		return Document{Unchecked: sink.ByCondition, Buffer: c.buf}
	}
	return Document{ID: id, Empty: true, Buffer: c.buf}
}

// hashScope hashes a scope together with its kind, so that a partition never equals a tenant. It uses the capacity of
// buf behind its length.
func hashScope(kind selectorKind, name, buf []byte) (uint64, []byte) {
	n := len(buf)
	buf = append(buf, kind...)
	buf = append(buf, 0)
	buf = append(buf, name...)
	return max(1, xxhash.Sum64(buf[n:])), buf[:n] // 0 means no scope
}
