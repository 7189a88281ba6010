package config

import (
	"fmt"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

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
