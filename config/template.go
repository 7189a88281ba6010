package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

// Template returns a configuration file with every key, its meaning and its default. Only the keys that have to be set
// are set, to an example; every other line is commented out.
func Template() string {
	c := Default()
	return templateHead + template(&c, c.Validate())
}

const templateHead = `# unecho reads documents from Kafka and forwards each to a topic of unique documents or a topic of duplicates.
#
# Lines behind # show the defaults: remove the # to set them. Each key is also an environment variable
# (similarity.threshold is UNECHO_SIMILARITY_THRESHOLD) and a flag (--set similarity.threshold=0.9).
# Check this file with: unecho config check FILE
`

// docWidth is the column at which the documentation in a template wraps.
const docWidth = 110

// template writes the settings below params. missing are the mistakes of the defaults, which name the keys that have to
// be set.
func template(params any, missing []setting.Mistake) string {
	var b strings.Builder
	walk(params, func(f setting.Field) {
		space := strings.Repeat(indent, f.Depth())
		if f.Depth() == 0 {
			b.WriteByte('\n')
		}
		for _, line := range wrap(meaning(f), docWidth-len(space)) {
			fmt.Fprintf(&b, "%s# %s\n", space, line)
		}
		required := slices.ContainsFunc(missing, func(m setting.Mistake) bool { return m.Key == f.Key })
		switch {
		case f.Section():
			fmt.Fprintf(&b, "%s%s:\n", space, f.Name())
		case required && f.Example != "":
			fmt.Fprintf(&b, "%s%s: %s\n", space, f.Name(), exampleValue(f))
		default:
			fmt.Fprintf(&b, "%s#%s: %s\n", space, f.Name(), yamlValue(f))
		}
	})
	return b.String()
}

// meaning returns the documentation of a setting with its choices and an example.
func meaning(f setting.Field) string {
	s := f.Doc
	if len(f.Enum) > 0 {
		s += " (" + setting.OneOf(f.Enum) + ")"
	}
	if f.Example != "" && !f.Equals(f.Example) {
		s += "; for example " + f.Example
	}
	if f.Secret {
		s += "; or " + f.Name() + "_file, a file that holds it"
	}
	return s
}

// exampleValue returns the example as YAML. The example of a list may be in brackets, or only have commas.
func exampleValue(f setting.Field) string {
	switch {
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
