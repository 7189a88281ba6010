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
	Format string       `key:"format" doc:"the format of a record's value: raw is text, html a page, the others have fields" verdict:"true"`
	Fields []string     `key:"text" doc:"the fields with the text, which are joined; not for raw and html. Dots lead into objects and arrays of objects (a dot in a name is written \\.)" example:"[title, article.body]" verdict:"true"`
	HTML   []string     `key:"html" doc:"fields of text that hold HTML: only the text inside it is compared; for a whole value of HTML use format: html" example:"[article.body]" verdict:"true" omit:""`
	Base64 []string     `key:"base64" doc:"fields of text that hold text or HTML in base64, in the standard or the URL alphabet, padded or not" example:"[article.body]" verdict:"true" omit:"" advanced:"true"`
	ID     string       `key:"id" doc:"the name of the original in a duplicate's headers: key, header:NAME, field:PATH, or several in braces; empty, or if a part is missing, topic/partition/offset" example:"field:id" verdict:"true"`
	Scope  string       `key:"scope" doc:"compare only documents of the same scope: key, topic, partition, header:NAME, field:PATH, or several in braces; empty compares all" called:"scope" example:"{header:tenant}/{field:language}" verdict:"true"`
	When   []Condition  `key:"when" doc:"a document is checked only if it meets all of these conditions; others go to the unique topic as they are, marked by unecho-unchecked"`
	Reject []string     `key:"reject" doc:"which documents are rejected. missing_field: one of several fields is absent, null or NaN (else it counts as empty); if all are, the document is always rejected. empty: tombstones and blank texts (else they are unique). invalid_encoding: bytes that are not UTF-8 (else they are letters; a text with more than 5 % of them is compared by its bytes)" called:"reasons" enum:"missing_field|empty|invalid_encoding" verdict:"true" advanced:"true"`
	Schema SchemaParams `key:"schema" doc:"Schemas, for avro and protobuf."`

	ByDefault bool `key:"-"` // nobody has written Format

	MaxBytes setting.Bytes   `key:"-"` // advanced.max_document_bytes: a larger text is rejected
	Registry registry.Params `key:"-"` // schema_registry
}

// SchemaParams say what the schema of a value is.
type SchemaParams struct {
	Framing string `key:"framing" doc:"the prefix of a value, or the header, that names its schema" verdict:"true" omit:"none" advanced:"true"`
	File    string `key:"file" doc:"the schema of all values: an .avsc file for avro, a file of descriptors for protobuf (protoc --include_imports -o FILE). If values have different schemas, use a registry" example:"/etc/unecho/article.avsc"`
	Message string `key:"message" doc:"for protobuf: the full name of the message; required with file. With a registry, values of another message are rejected (wrong_type)" example:"news.v1.Article" verdict:"true" omit:"" advanced:"true"`

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
	out = append(out, p.wrongTreated("html", p.HTML, "set format: json; where the whole value is HTML, format: html")...)
	out = append(out, p.wrongTreated("base64", p.Base64, "set format: json")...)
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
		"has no effect with format: "+p.Format+", where the whole value is the text",
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

// ValidateSources reports every mistake in the sources of a service, by whole keys.
func ValidateSources(sources []Source) (wrong []setting.Mistake) {
	if len(sources) == 0 {
		return []setting.Mistake{setting.Wrong("sources.topics", "", "is missing",
			"name the topics of documents, as in sources: [{topics: [news], format: json, text: [title, body]}]")}
	}
	if len(sources) > maxSources {
		return []setting.Mistake{setting.Wrong("sources", strconv.Itoa(len(sources))+" sources", "out of range",
			"write "+strconv.Itoa(maxSources)+" at most")}
	}
	seen := map[string]int{}
	for i := range sources {
		s := &sources[i]
		wrong = append(wrong, setting.Under(KeyOf(i), slices.Concat(s.wrongTopics(i, seen), s.wrongPattern(), s.Reading.Validate()))...)
	}
	return append(wrong, unasked(sources)...)
}

// longestTopic is Kafka's bound on the name of a topic, in characters.
const longestTopic = 249

// IsTopic says whether a topic can have a name.
func IsTopic(name string) bool {
	return name != "" && len(name) <= longestTopic && setting.IsName(name) && name != "." && name != ".."
}

// wrongTopics checks the names of source number i. seen are those of the sources before it.
func (s *Source) wrongTopics(i int, seen map[string]int) (wrong []setting.Mistake) {
	if len(s.Topics) == 0 && s.Pattern == "" {
		return []setting.Mistake{setting.Wrong("topics", "", "is missing",
			"name the topics of documents, as in topics: [news], or write a pattern that they fit")}
	}
	for _, t := range s.Topics {
		switch other, twice := seen[t]; {
		case twice && other == i:
			wrong = append(wrong, setting.Wrong("topics", t, "is named twice", "name each topic once"))
		case twice:
			wrong = append(wrong, setting.Wrong("topics", t, "is named in "+KeyOf(other)+", too", "name each topic in one source"))
		case !IsTopic(t):
			wrong = append(wrong, setting.Wrong("topics", t, "is not a name of a topic",
				"write whole names (pattern is for patterns), and commas between them: sources.topics=news,blogs on a command "+
					"line, [news, blogs] in a file"))
		}
		seen[t] = i
	}
	return wrong
}

func (s *Source) wrongPattern() []setting.Mistake {
	if _, err := s.Compile(); err != nil {
		return []setting.Mistake{setting.Wrong("pattern", s.Pattern, "is not a regular expression: "+err.Error(),
			`write one of a topic's whole name, as in 'news\..+'; a dot that is meant as one needs a backslash`)}
	}
	if s.Pattern != "" && len(s.Topics) == 0 && s.Start == "latest" {
		return []setting.Mistake{setting.Wrong("start", s.Start,
			"has no effect on topics that come by a pattern: they begin at their start",
			"write earliest, or name the topics that are to begin at their end in topics")}
	}
	return nil
}

// unasked reports a registry that no source asks.
func unasked(sources []Source) []setting.Mistake {
	for i := range sources {
		if p := &sources[i].Reading; !p.Registry.Set() || p.asks() {
			return nil
		}
	}
	return []setting.Mistake{setting.Wrong("schema_registry.urls", sources[0].Reading.Registry.URLs[0],
		"has no effect: no source has values that name their schemas",
		"remove it, or set format and schema.framing of a source, for example avro and confluent")}
}
