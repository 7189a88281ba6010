package config

import (
	"fmt"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

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
