package config

import (
	"encoding/json"

	"github.com/unecho/unecho/index/setting"
)

// Schema returns a JSON schema (draft 2020-12) of the configuration file, for editors. A schema cannot express
// everything that Load checks.
func Schema() string {
	c := Default()
	return schema(&c)
}

// Patterns of values that people write. Each may be a variable.
const (
	variablePattern = `^\$\{.+\}$`
	durationPattern = `^(([0-9]+d)?([0-9]*\.?[0-9]+(ns|us|µs|ms|s|m|h))+|[0-9]+d|0)$|` + variablePattern
	sharePattern    = `^(0?\.[0-9]+|1\.0+)$|` + variablePattern // of a text: helm install --set makes one of a fraction, and of 1.0
	sizePattern     = `^[0-9]+ *([KkMmGgTt][Ii]?)?[Bb]?$|` + variablePattern
)

func schema(params any) string {
	root := object("Configuration of unecho.")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "unecho"
	objects := map[string]map[string]any{"": root}
	walkShape(params, func(f setting.Field) {
		if f.Element() {
			return
		}
		section, name := setting.CutLast(f.Key)
		properties := objects[section]["properties"].(map[string]any)
		switch {
		case f.Repeated():
			o := object("")
			objects[f.Key+"[]"] = o
			properties[name] = map[string]any{"type": []string{"array", "null"}, "description": f.Doc, "items": o}
			return
		case f.Section():
			o := object(f.Doc)
			o["type"] = []string{"object", "null"} // null: everything in it is commented out
			objects[f.Key], properties[name] = o, o
			return
		}
		properties[name] = property(f)
		if f.Secret {
			properties[companion(name)] = map[string]any{"type": "string", "description": "a file that holds " + f.Key}
		}
	})
	text, err := json.MarshalIndent(root, "", indent)
	if err != nil {
		panic("config: schema: " + err.Error()) // maps of strings, numbers and lists always have a JSON form
	}
	return string(text) + "\n"
}

func object(doc string) map[string]any {
	o := map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
	if doc != "" {
		o["description"] = doc
	}
	return o
}

func property(f setting.Field) map[string]any {
	p := shape(f)
	p["description"] = f.Doc
	if f.Secret {
		p["writeOnly"] = true
		return p
	}
	p["default"] = jsonValue(f)
	if f.Example != "" && f.Kind() != setting.List && f.Kind() != setting.Map {
		p["examples"] = []string{f.Example}
	}
	return p
}

// shape returns the type of a setting in JSON schema.
func shape(f setting.Field) map[string]any {
	choices := map[string]any{}
	if len(f.Enum) > 0 {
		choices["enum"] = enum(f)
	}
	switch f.Kind() {
	case setting.Bool:
		return map[string]any{"type": []string{"boolean", "string"}, "pattern": variablePattern}
	case setting.Int:
		if len(f.Enum) == 0 { // -1 is a default of Kafka's; no other number is below 0
			return map[string]any{"type": []string{"integer", "string"}, "pattern": variablePattern, "minimum": -1}
		}
		choices["type"] = "integer"
		return choices
	case setting.Float: // each is a share, or a similarity
		return map[string]any{"type": []string{"number", "string"}, "pattern": sharePattern, "exclusiveMinimum": 0, "maximum": 1}
	case setting.Duration: // 0 needs no unit
		return map[string]any{"type": []string{"string", "integer"}, "pattern": durationPattern, "maximum": 0}
	case setting.Size:
		return map[string]any{"type": []string{"string", "integer"}, "pattern": sizePattern, "minimum": 0}
	case setting.List:
		choices["type"] = "string"
		return map[string]any{"type": "array", "items": choices}
	case setting.Map:
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": anyScalar()}}
	case setting.String, setting.Unknown:
	}
	choices["type"] = "string"
	if len(f.Enum) == 0 {
		choices["type"] = anyScalar()
	}
	return choices
}

// anyScalar is what a text may be: quotes around 007 or true are not required.
func anyScalar() []string { return []string{"string", "number", "boolean"} }

func enum(f setting.Field) []any {
	words := make([]any, len(f.Enum))
	for i, word := range f.Enum {
		words[i] = word
		if f.Kind() == setting.Int {
			words[i] = json.Number(word)
		}
	}
	return words
}

func jsonValue(f setting.Field) any {
	switch f.Kind() {
	case setting.Bool:
		return f.Text() == "true"
	case setting.Int, setting.Float:
		return json.Number(f.Text())
	case setting.List:
		return f.Items()
	case setting.Map:
		return f.Pairs()
	case setting.String, setting.Duration, setting.Size, setting.Unknown:
	}
	return f.Text()
}
