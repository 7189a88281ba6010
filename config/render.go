package config

import (
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
