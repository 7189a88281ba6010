package config

import (
	"fmt"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

// Start returns the configuration file that one begins with.
func Start() string { return start }

const start = `# Near-duplicates of news. Check this file with: unecho config check FILE
# All settings, with their meanings and defaults: unecho config init --full
group: news-filter # of this deployment alone; its members share the work
kafka: {brokers: [kafka-1:9092, kafka-2:9092]}
sources:
  - topics: [news]
    format: json # or raw, html, avro, protobuf, msgpack, cbor
    text: [title, body] # the fields that are compared
duplicates:
  threshold: 0.8 # the least similarity of duplicates
  remember: {age: 24h, memory: 1GiB} # what a document is compared with
snapshots:
  directory: {path: /var/lib/unecho/snapshots} # or postgres, which all members see
`

// Template returns a configuration file with every key, its meaning and default. Only the keys that have to be set are
// set, to an example; every other line is commented out.
func Template() string {
	c := Default()
	return templateHead + template(&c, c.Validate())
}

const templateHead = `# unecho reads documents from Kafka and forwards each to a topic of unique documents or a topic of duplicates.
#
# Lines behind # show the defaults: remove the # to set them. Each key is also an environment variable
# (duplicates.threshold is UNECHO_DUPLICATES_THRESHOLD) and a flag (--set duplicates.threshold=0.9).
# Check this file with: unecho config check FILE
`

// docWidth is the column at which the documentation in a template wraps.
const docWidth = 110

// template writes the settings below params. missing are the mistakes of the defaults, which name the keys that have to
// be set.
func template(params any, missing []setting.Mistake) string {
	t := templateWriter{required: map[string]bool{}}
	for _, m := range missing {
		for key := setting.Plain(m.Key); key != ""; key = setting.Parent(key) {
			t.required[key] = true
		}
	}
	walkShape(params, t.write)
	return t.String()
}

type templateWriter struct {
	strings.Builder
	margin   margin
	required map[string]bool // plain keys of settings that have to be set, and of all around them
	passed   string          // the list whose elements are written already
}

func (t *templateWriter) write(f setting.Field) {
	if t.passed != "" && strings.HasPrefix(f.Key, t.passed) {
		return
	}
	if f.Depth() == 0 {
		t.WriteByte('\n')
	}
	space, first := strings.Repeat(indent, f.Depth()), t.margin.dash
	before := t.margin.of(f)
	if f.Element() {
		return
	}
	said := meaning(f)
	if f.Advanced && !f.Section() {
		said = "advanced: " + said
	}
	t.comment(space[:len(strings.TrimSuffix(before, "- "))], "", said)
	required := t.required[setting.Plain(f.Key)]
	switch {
	case f.Repeated() && !required:
		t.optional(space, f)
	case f.Section():
		fmt.Fprintf(t, "%s%s:\n", before, f.Name())
	case (required || first) && f.Example != "":
		fmt.Fprintf(t, "%s%s: %s\n", before, f.Name(), exampleValue(f))
	case first:
		fmt.Fprintf(t, "%s%s: %s\n", before, f.Name(), yamlValue(f))
	default:
		fmt.Fprintf(t, "%s#%s: %s\n", before, f.Name(), yamlValue(f))
	}
}

// optional writes a list of sections that may be empty. What its elements can have is said in comments.
func (t *templateWriter) optional(space string, f setting.Field) {
	f.Walk(func(below setting.Field) {
		if !below.Element() {
			t.comment(space, strings.Repeat(indent, below.Depth()-f.Depth()-1), below.Name()+": "+meaning(below))
		}
	})
	fmt.Fprintf(t, "%s#%s: []\n", space, f.Name())
	t.passed = f.Key + "["
}

// comment writes text as a comment, indented by more within it.
func (t *templateWriter) comment(space, more, text string) {
	for _, line := range wrap(text, docWidth-len(space)-len(more)) {
		fmt.Fprintf(t, "%s# %s%s\n", space, more, line)
	}
}

// meaning returns the documentation of a setting with its choices and an example.
func meaning(f setting.Field) string {
	s := f.Doc
	if len(f.Enum) > 0 {
		s += " (" + setting.OneOf(f.Enum) + ")"
	}
	switch {
	case f.Example == "" || !f.Section() && f.Equals(f.Example):
	case f.Kind() == setting.Map:
		s += "; for example " + exampleValue(f)
	default:
		s += "; for example " + f.Example
	}
	if f.Secret {
		s += "; or " + f.Name() + "_file, a file that holds it"
	}
	return s
}

// exampleValue returns the example as YAML. That of a map is a=b,c=d. The example of a list may be in brackets, or only have commas.
func exampleValue(f setting.Field) string {
	switch {
	case f.Kind() == setting.Map:
		texts := map[string]string{}
		for item := range strings.SplitSeq(f.Example, ",") {
			name, text, _ := strings.Cut(item, "=")
			texts[name] = text
		}
		return yamlMap(texts)
	case f.Kind() != setting.List:
		return yamlString(f.Example)
	case strings.HasPrefix(f.Example, "["):
		return f.Example
	}
	items := strings.Split(f.Example, ",")
	for i := range items {
		items[i] = yamlString(strings.TrimSpace(items[i]))
	}
	return "[" + strings.Join(items, ", ") + "]"
}
