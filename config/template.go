package config

import (
	"fmt"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

// Template returns a configuration file with the keys that people set, or with every key, their meanings and defaults.
// Only the keys that have to be set are set, to an example; every other line is commented out.
func Template(full bool) string {
	c := Default()
	return templateHead + template(&c, c.Validate(), full)
}

const templateHead = `# unecho reads documents from Kafka and forwards each to a topic of unique documents or a topic of duplicates.
#
# Lines behind # show the defaults: remove the # to set them. Each key is also an environment variable
# (similarity.threshold is UNECHO_SIMILARITY_THRESHOLD) and a flag (--set similarity.threshold=0.9).
# Check this file with: unecho config check FILE
`

// docWidth is the column at which the documentation in a template wraps.
const docWidth = 110

// template writes the settings below params; full: the advanced ones, too. missing are the mistakes of the defaults,
// which name the keys that have to be set.
func template(params any, missing []setting.Mistake, full bool) string {
	t := templateWriter{required: map[string]bool{}, kept: map[string]bool{}}
	for _, m := range missing {
		for key := setting.Plain(m.Key); key != ""; key = setting.Parent(key) {
			t.required[key] = true
		}
	}
	walkShape(params, func(f setting.Field) {
		for key := f.Key; !f.Section() && (full || !f.Advanced) && key != ""; key = setting.Parent(key) {
			t.kept[key] = true
		}
	})
	walkShape(params, t.write)
	return t.String()
}

type templateWriter struct {
	strings.Builder
	margin   margin
	required map[string]bool // plain keys of settings that have to be set, and of all around them
	kept     map[string]bool // keys that are written
	passed   string          // the list whose elements are written already
}

func (t *templateWriter) write(f setting.Field) {
	if !t.kept[f.Key] || t.passed != "" && strings.HasPrefix(f.Key, t.passed) {
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
	t.comment(space[:len(strings.TrimSuffix(before, "- "))], "", meaning(f))
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
		if t.kept[below.Key] && !below.Element() {
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
