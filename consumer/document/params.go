package document

import (
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// maxFields bounds the fields of the text, so that the set of paths fits into the bits of one word.
const maxFields = 32

// Params say how the records of a source become documents. All of them decide verdicts.
type Params struct {
	Format string       `key:"format" doc:"what a record's value is: raw text, html, or an object in one of the other formats" verdict:"true"`
	Fields []string     `key:"text" doc:"where the text is, but for raw and html; dots go into objects, and through arrays of them, of which the texts are joined (a dot in a name is written \\.), several fields are joined" example:"[title, article.body]" verdict:"true"`
	HTML   []string     `key:"html" doc:"those of text that hold HTML, of which the text counts: tags, comments, scripts and styles go, character references are resolved; format: html takes the whole value so" example:"[article.body]" verdict:"true" omit:""`
	Base64 []string     `key:"base64" doc:"those of text that hold text, or HTML, in base64, with the alphabet of RFC 4648 or that for URLs, padded or not" example:"[article.body]" verdict:"true" omit:""`
	ID     string       `key:"id" doc:"what the headers of a duplicate call its original: key, header:NAME, field:PATH, or several in braces; empty, or where a part is missing, it is topic/partition/offset" example:"field:id" verdict:"true"`
	Scope  string       `key:"scope" doc:"documents are compared only within the same: key, topic, partition, header:NAME, field:PATH, or several in braces; empty compares all" called:"scope" example:"{header:tenant}/{field:language}" verdict:"true"`
	When   []Condition  `key:"when" doc:"conditions that a document must meet, all of them, to be checked; what does not goes to the unique topic as it is, marked by unecho-unchecked"`
	Reject []string     `key:"reject" doc:"which documents are rejected: missing_field, where one of several fields is absent, null or NaN (else it counts as empty; where all are, the document is rejected in any case); empty, tombstones and those whose text is empty or blank (else unique); invalid_encoding, what is not UTF-8 (else it is part of the word it stands in, as U+FFFD is, and where it is more than 5 % of a text, that is compared by its bytes)" called:"reasons" enum:"missing_field|empty|invalid_encoding" verdict:"true"`
	Schema SchemaParams `key:"schema" doc:"What values with a schema are read by: avro and protobuf."`

	MaxBytes setting.Bytes   `key:"-"` // advanced.max_document_bytes: a larger text is rejected
	Registry registry.Params `key:"-"` // schema_registry
}

// SchemaParams say what the schema of a value is.
type SchemaParams struct {
	Framing string `key:"framing" doc:"what stands before a value, or in a header beside it, and names its schema" verdict:"true" omit:"none"`
	File    string `key:"file" doc:"the one schema of all values: for avro an .avsc file, for protobuf a file of descriptors (protoc --include_imports -o FILE); for values that have several, name a registry" example:"/etc/unecho/article.avsc"`
	Message string `key:"message" doc:"for protobuf: the full name of the message that a value is; needed with file, and what is another message in a registry is rejected (wrong_type)" example:"news.v1.Article" verdict:"true" omit:""`

	Fingerprint string `key:"-"` // of what File holds, on which members must agree; Pin fills it in
}

// DefaultParams are the defaults.
func DefaultParams() Params {
	return Params{
		Format: formats()[0].name, Fields: []string{"text"}, Reject: []string{string(sink.MissingField)},
		Schema: SchemaParams{Framing: noFraming}, MaxBytes: setting.MiB, Registry: registry.DefaultParams(),
	}
}

// Rejects says whether documents are rejected for one of the reasons for which they need not be.
func (p *Params) Rejects(reason sink.Reason) bool { return slices.Contains(p.Reject, string(reason)) }

// Choices returns the words of a setting whose words stand in a table.
func (Params) Choices(key string) (words []string) {
	if key == "format" {
		for _, f := range formats() {
			words = append(words, f.name)
		}
	}
	return words
}

// Choices returns the words of a setting whose words stand in a table.
func (SchemaParams) Choices(key string) (words []string) {
	if key == "framing" {
		for _, f := range framings() {
			words = append(words, f.name)
		}
	}
	return words
}

// Validate reports every mistake at once, but for those of Registry.
func (p Params) Validate() []setting.Mistake {
	out := setting.Misspelt(p)
	out = append(out, p.wrongSelector("id", p.ID, "write key, header:NAME, field:PATH, or several in braces, as {header:NAME}/{field:PATH}",
		[]selectorKind{selectNothing, selectKey, selectHeader, selectField})...)
	out = append(out, p.wrongSelector("scope", p.Scope,
		"write key, topic, partition, header:NAME, field:PATH, or several in braces, as {header:NAME}/{field:PATH}",
		[]selectorKind{selectNothing, selectKey, selectTopic, selectPartition, selectHeader, selectField})...)
	if formatOf(p.Format).fields {
		out = append(out, p.wrongFields()...)
	}
	out = append(out, p.wrongTreatment()...)
	out = append(out, p.wrongWhen()...)
	return append(out, p.wrongSchema()...)
}

// Normal returns the settings in one form, so that those that mean the same are the same.
func (p Params) Normal() Params {
	p.When, p.Reject = normalWhen(p.When), slices.Sorted(slices.Values(p.Reject))
	return p
}

// Idle returns the fields that decide nothing in a service: those of a value that is the text. Files that are read by the same
// configuration may have them.
func (p Params) Idle() []setting.Mistake {
	if formatOf(p.Format).fields {
		return nil
	}
	return []setting.Mistake{setting.Wrong("text", strings.Join(p.Fields, ","),
		"decides nothing with format: "+p.Format+", where the whole value is the text",
		"write format: json, or another format with fields, or leave it out")}
}

// wrongSelector checks id or scope. kinds are those that it may be read from.
func (p Params) wrongSelector(key, value, remedy string, kinds []selectorKind) []setting.Mistake {
	s, err := parseSelector(value)
	if err != nil {
		return []setting.Mistake{setting.Wrong(key, value, err.Error(), remedy)}
	}
	for _, one := range s.each() {
		switch {
		case !slices.Contains(kinds, one.kind):
			return []setting.Mistake{setting.Wrong(key, value, string(one.kind)+" is not possible here", remedy)}
		case one.kind == selectField && !formatOf(p.Format).fields:
			return []setting.Mistake{setting.Wrong(key, value, p.Format+" has no fields",
				"set format: json, or take a header")}
		}
	}
	return nil
}

func (p Params) wrongFields() []setting.Mistake {
	if len(p.Fields) == 0 || len(p.Fields) > maxFields {
		return []setting.Mistake{setting.Wrong("text", strconv.Itoa(len(p.Fields))+" fields", "out of range",
			"name 1 to "+strconv.Itoa(maxFields)+" fields that hold the text")}
	}
	var out []setting.Mistake
	seen := make([]path, 0, len(p.Fields))
	for i, field := range p.Fields {
		key := "text[" + strconv.Itoa(i) + "]"
		at, err := parsePath(field)
		if err != nil {
			out = append(out, setting.Wrong(key, strconv.Quote(field), err.Error(),
				`write a name, or names with dots between: "article.body"`))
			continue
		}
		for _, other := range seen {
			if at.overlaps(other) {
				out = append(out, setting.Wrong(key, field, "is or holds the field "+other.String()+", named before",
					"name each text once"))
				break
			}
		}
		seen = append(seen, at)
	}
	return out
}
