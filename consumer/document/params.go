package document

import (
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/index/setting"
)

// maxFields bounds document.fields, so that the set of paths fits into the bits of one word.
const maxFields = 32

// Params say how a record becomes a document. All of them decide verdicts.
type Params struct {
	Format      string        `key:"format" doc:"what a record's value is: raw text, or an object in one of the other formats" verdict:"true"`
	Fields      []string      `key:"fields" doc:"where the text is, but for raw; dots go into objects, and through arrays of them, of which the texts are joined (a dot in a name is written \\.), several fields are joined" example:"[title, article.body]" verdict:"true"`
	Separator   string        `key:"separator" doc:"what stands between several fields, and between the strings of an array; an empty one joins words that were cut" verdict:"true" omit:"\n"`
	HTML        []string      `key:"html_fields" doc:"those of document.fields that hold HTML, of which the text counts: tags, comments, scripts and styles go, character references are resolved; text.html: strip takes the whole text as HTML" example:"[article.body]" verdict:"true" omit:""`
	Base64      []string      `key:"base64_fields" doc:"those of document.fields that hold text, or HTML, in base64, with the alphabet of RFC 4648 or that for URLs, padded or not" example:"[article.body]" verdict:"true" omit:""`
	ID          string        `key:"id" doc:"what the headers of a duplicate call its original: key, header:NAME, field:PATH, or several in braces; empty, or where a part is missing, it is topic/partition/offset" example:"field:id" verdict:"true"`
	Scope       string        `key:"scope" doc:"documents are compared only within the same: key, topic, partition, header:NAME, field:PATH, or several in braces; empty compares all" called:"scope" example:"{header:tenant}/{field:language}" verdict:"true"`
	MaxBytes    setting.Bytes `key:"-"` // advanced.max_document_bytes: a larger text is rejected
	Framing     string        `key:"framing" doc:"what stands before a value, or in a header beside it, and names its schema" verdict:"true" omit:"none"`
	SchemaFile  string        `key:"schema_file" doc:"the one schema of all values: for avro an .avsc file, for protobuf a file of descriptors (protoc --include_imports -o FILE); for values that have several, name a registry" example:"/etc/unecho/article.avsc"`
	Schema      string        `key:"schema" doc:"fingerprint of schema_file's content, on which members must agree; empty takes what the file has" example:"sha256:0f3c6ad1e2b94c57" verdict:"true" omit:""`
	Message     string        `key:"message" doc:"for protobuf: the full name of the message that a value is; needed with schema_file, and what is another message in a registry is rejected (wrong_type)" example:"news.v1.Article" verdict:"true" omit:""`
	InvalidUTF8 string        `key:"invalid_utf8" doc:"what is not UTF-8 is part of the word it stands in, as U+FFFD is, and where it is more than 5 % of a text that is compared by its bytes; or the document is rejected (invalid_encoding)" enum:"replace|reject" verdict:"true"`
	Missing     string        `key:"missing" doc:"of several fields, one that is absent, null or NaN is empty, or the document rejected (missing_field); it is rejected in any case where all of them are" enum:"reject|empty" verdict:"true" omit:"reject"`
	Empty       string        `key:"empty" doc:"a tombstone, or a document whose text is empty or blank, is unique, or rejected (empty)" enum:"unique|reject" verdict:"true"`
	ByTopic     []string      `key:"by_topic" doc:"settings of topics that are read otherwise: PATTERN KEY = VALUE, with a regular expression of the whole name; the first pattern that fits a topic counts, with all its items" example:"['blogs\\..+ format = json', 'blogs\\..+ fields = title, body']" verdict:"true" omit:""`

	Registry registry.Params `key:"registry" doc:"Where the schemas are that values name. What it says of a name holds for ever."`
}

// DefaultParams are the defaults.
func DefaultParams() Params {
	return Params{
		Format: formats()[0].name, Fields: []string{"text"}, Separator: usualSeparator, MaxBytes: setting.MiB,
		Framing: noFraming, InvalidUTF8: invalidReplace, Missing: missingReject, Empty: emptyUnique, Registry: registry.DefaultParams(),
	}
}

// These are the words of the settings.
const (
	invalidReplace = "replace"
	missingReject  = "reject"
	emptyUnique    = "unique"
	emptyReject    = "reject"
)

// InvalidReject is the word of InvalidUTF8 by which a document is rejected that is not UTF-8.
const InvalidReject = "reject"

// MissingEmpty is the word of Missing by which a field of several may be absent.
const MissingEmpty = "empty"

// Choices returns the words of a setting whose words stand in a table.
func (Params) Choices(key string) []string {
	var words []string
	switch key {
	case "format":
		for _, f := range formats() {
			words = append(words, f.name)
		}
	case "framing":
		for _, f := range framings() {
			words = append(words, f.name)
		}
	}
	return words
}

// Validate reports every mistake at once.
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
	out = append(out, p.wrongSchema()...)
	out = append(out, setting.Under("registry", p.Registry.Validate())...)
	if len(p.ByTopic) > 0 {
		out = append(out, p.wrongTopics()...)
	}
	return out
}

// Idle returns the fields that decide nothing in a service: those of raw text. Files that are read by the same configuration may
// have them.
func (p Params) Idle() (all []setting.Mistake) {
	const problem = "decides nothing with format: raw, where the whole value is the text"
	topics, _ := p.topics()
	read := formatOf(p.Format).fields
	for _, t := range topics {
		item, own := t.items["fields"]
		switch {
		case !own:
			read = read || formatOf(t.Format).fields
		case !formatOf(t.Format).fields:
			all = append(all, setting.Wrong("by_topic", p.ByTopic[item], problem, "add "+strconv.Quote(t.pattern+" format = json")+
				", or another format with fields, or leave it out"))
		}
	}
	if !read {
		all = append(all, setting.Wrong("fields", strings.Join(p.Fields, ","), problem,
			"write document.format: json, or another format with fields, or leave it out"))
	}
	return all
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
			return []setting.Mistake{setting.Wrong(key, value, "raw text has no fields",
				"set document.format: json, or take a header")}
		}
	}
	return nil
}

func (p Params) wrongFields() []setting.Mistake {
	if len(p.Fields) == 0 || len(p.Fields) > maxFields {
		return []setting.Mistake{setting.Wrong("fields", strconv.Itoa(len(p.Fields))+" fields", "out of range",
			"name 1 to "+strconv.Itoa(maxFields)+" fields that hold the text")}
	}
	var out []setting.Mistake
	seen := make([]path, 0, len(p.Fields))
	for i, field := range p.Fields {
		key := "fields[" + strconv.Itoa(i) + "]"
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
