package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

// masked stands for a secret that is set.
const masked = "***"

const indent = "  "

// margin indents the lines of a configuration.
type margin struct{ dash bool }

// of returns what stands before a field. The first line of an element of a list begins with a dash.
func (m *margin) of(f setting.Field) string {
	space := strings.Repeat(indent, f.Depth())
	switch {
	case f.Element():
		m.dash = true
	case m.dash:
		m.dash = false
		return space[len(indent):] + "- "
	}
	return space
}

// plainWord matches the texts that every YAML parser reads as the string they are, without quotes.
var (
	plainWord = regexp.MustCompile(`^([A-Za-z/]|\d+\.\d+\.\d+\.)[A-Za-z0-9_./-]*(:[A-Za-z0-9_./-]+)*$`)
	otherWord = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|null|y|n)$`)
)

// yamlValue returns a value as YAML; of a secret only whether it is set.
func yamlValue(f setting.Field) string {
	switch {
	case f.Kind() == setting.List:
		items := f.Items()
		for i := range items {
			items[i] = yamlString(items[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	case f.Kind() == setting.Map:
		return yamlMap(f.Pairs())
	case f.Secret && f.Text() != "":
		return yamlString(masked)
	case f.Kind() == setting.String:
		return yamlString(f.Text())
	}
	return f.Text()
}

// yamlString quotes a string if necessary, and escapes what would be a variable. Go's escapes of valid UTF-8 all mean
// the same in YAML.
func yamlString(s string) string {
	if plainWord.MatchString(s) && !otherWord.MatchString(s) {
		return s
	}
	return strconv.Quote(strings.ReplaceAll(s, "${", "$${"))
}

func yamlMap(texts map[string]string) string {
	items := slices.Sorted(maps.Keys(texts))
	for i, name := range items {
		items[i] = yamlString(name) + ": " + yamlString(texts[name])
	}
	return "{" + strings.Join(items, ", ") + "}"
}

// wrap breaks text into lines of at most width characters, at its spaces.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// String returns the effective configuration as YAML, each value with where it comes from. Secrets are masked.
func (l Loaded) String() string { return effective(&l.Config, l.Origins) }

// Each calls visit with each setting and its value as text, in their order. Secrets are masked.
func (c Config) Each(visit func(key, value string)) {
	walk(&c, func(f setting.Field) {
		switch {
		case f.Section():
		case f.Secret && f.Text() != "":
			visit(f.Key, masked)
		default:
			visit(f.Key, f.Text())
		}
	})
}

// Count returns how many values come from a layer.
func (l Loaded) Count(layer Layer) int {
	n := 0
	walk(&l.Config, func(f setting.Field) {
		if !f.Section() && l.Origins[f.Key].Layer == layer {
			n++
		}
	})
	return n
}

func effective(params any, origins map[string]Origin) string {
	var b strings.Builder
	var m margin
	walk(params, func(f setting.Field) {
		before, value := m.of(f), "[]"
		switch {
		case f.Element():
			return
		case f.Section() && (!f.Repeated() || f.Len() > 0):
			fmt.Fprintf(&b, "%s%s:\n", before, f.Name())
			return
		case !f.Section():
			value = yamlValue(f)
		}
		fmt.Fprintf(&b, "%s%s: %s # %s\n", before, f.Name(), value, oneLine(origins[f.Key].String()))
	})
	return b.String()
}

// Markers around the table of settings in deploy/docs/configuration.md.
const (
	TableBegin = "<!-- config:begin -->"
	TableEnd   = "<!-- config:end -->"
)

// Table returns the Markdown table of all settings, as deploy/docs/configuration.md has it.
func Table() string {
	c := Default()
	return table(&c)
}

func table(params any) string {
	var b strings.Builder
	b.WriteString("| setting | default | meaning |\n| --- | --- | --- |\n")
	walkShape(params, func(f setting.Field) {
		if f.Section() {
			return
		}
		mark := ""
		if f.Verdict {
			mark = " †"
		}
		if f.Advanced {
			mark += " A"
		}
		fmt.Fprintf(&b, "| `%s`%s | %s | %s |\n", f.Key, mark, defaultCell(f), cell(meaning(f)))
	})
	b.WriteString("\n† decides verdicts: members that share a journal must agree on it. A is advanced: nearly nobody " +
		"sets it.\n")
	return b.String()
}

func defaultCell(f setting.Field) string {
	if f.Text() == "" {
		return "" // nothing, or an empty list or map
	}
	return "`" + strings.ReplaceAll(yamlValue(f), "|", `\|`) + "`"
}

// cell escapes a text so that it does not end its cell and is not read as Markdown or HTML.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, `\`, `\\`, "*", `\*`, "<", "&lt;").Replace(s)
}
