package setting

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Field is one setting of a Params struct, or a section of them, as its tags describe it.
type Field struct {
	Key     string // dotted, from the outermost struct: "duplicates.threshold"
	Doc     string
	Example string
	Called  string   // what help calls its value; empty: by its kind
	Enum    []string // the words allowed; none means any
	Secret  bool     // its value is never shown
	Verdict bool     // it decides verdicts
	Bound   bool     // it can be changed while what is remembered stays
	Omits   bool     // the canonical settings leave it out at one value
	Omit    string   // that value
	Files   bool     // only verbs that work on files have it: a service has its default

	Advanced bool // nearly nobody sets it; so is everything below such a section

	value reflect.Value
	shape bool // of WalkShape
}

// A Chooser is a Params struct that takes the words of some of its settings from a table in the code. Choices returns
// the words of a key, or nil.
type Chooser interface {
	Choices(key string) []string
}

// Walk visits each section and each setting below params, a struct or a pointer to one, in the order of the source. A
// section comes before its settings. A struct under key:"" is no section of its own: its fields belong to the
// surrounding one. A field under key:"-" is no setting. A list of sections comes before its elements, and each element
// before its settings: sources, sources[0], sources[0].topics.
//
// Settings can be Set only if params is a pointer. Walk panics for a struct that breaks the tag conventions, because
// that is a bug.
func Walk(params any, visit func(Field)) { root(params, false).Walk(visit) }

// WalkShape visits what params can have: as Walk does, but below each list of sections stands one element that has the
// defaults, whatever elements there are: sources, sources[], sources[].topics.
func WalkShape(params any, visit func(Field)) { root(params, true).Walk(visit) }

// Fields lists the settings below params, without the sections.
func Fields(params any) []Field { return settings(params, Walk) }

// Shape lists the settings that params can have, those of a list of sections once. See WalkShape.
func Shape(params any) []Field { return settings(params, WalkShape) }

func settings(params any, walk func(any, func(Field))) (fields []Field) {
	walk(params, func(f Field) {
		if !f.Section() {
			fields = append(fields, f)
		}
	})
	return fields
}

func root(params any, shape bool) Field {
	v := reflect.ValueOf(params)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return Field{value: v, shape: shape}
}

// Walk visits what is below a section, a list of sections, or one of its elements.
func (f Field) Walk(visit func(Field)) {
	if f.Repeated() {
		f.walkElements(visit)
		return
	}
	f.walkStruct(f.value, visit)
}

func (f Field) walkStruct(v reflect.Value, visit func(Field)) {
	t := v.Type()
	chooser, chooses := v.Interface().(Chooser)
	for i := range t.NumField() {
		sf := t.Field(i)
		below, keyed := taggedField(sf.Tag)
		key := below.Key
		switch {
		case key == "-":
			continue
		case !keyed || !sf.IsExported():
			panic(fmt.Sprintf("setting: %s.%s must be exported and have a key tag", t, sf.Name))
		case key == "" && sf.Type.Kind() == reflect.Struct:
			f.walkStruct(v.Field(i), visit)
			continue
		}
		below.Key, below.value, below.shape = Join(f.Key, key), v.Field(i), f.shape
		below.Advanced = f.Advanced || below.Advanced
		below.check()
		if below.Enum == nil && chooses {
			below.Enum = chooser.Choices(key)
		}
		visit(below)
		if below.Section() {
			below.Walk(visit)
		}
	}
}

// Section says whether the field holds settings and is none itself.
func (f Field) Section() bool { return f.value.Kind() == reflect.Struct || f.Repeated() }

// Kind returns the type of the setting.
func (f Field) Kind() Kind { return kindOf(f.value.Type()) }

// Name returns the last part of the key.
func (f Field) Name() string { return f.Key[strings.LastIndexByte(f.Key, '.')+1:] }

// Depth returns the number of sections, lists and elements around the field.
func (f Field) Depth() int { return strings.Count(f.Key, ".") + strings.Count(f.Key, "[") }

// check panics where the tags say what is not possible.
func (f Field) check() {
	key := f.Key
	switch {
	case !f.Section() && f.Kind() == Unknown:
		panic(fmt.Sprintf("setting: %s: type %s cannot be a setting", key, f.value.Type()))
	case f.Section() && (f.Secret || f.Verdict):
		panic(fmt.Sprintf("setting: %s: secret and verdict belong to settings, not to a section", key))
	case (f.Omits || f.Bound) && !f.Verdict:
		panic(fmt.Sprintf("setting: %s: omit and bound say something of settings that decide verdicts", key))
	case f.Secret && (f.Verdict || f.Kind() != String):
		panic(fmt.Sprintf("setting: %s: a secret is a string, and never part of the settings in the journal", key))
	case f.Secret && strings.Contains(key, "["):
		panic(fmt.Sprintf("setting: %s: a secret cannot be in a list", key))
	case f.Repeated() && strings.Count(key, "[") > 1:
		panic(fmt.Sprintf("setting: %s: a list can be in the elements of another, and no deeper", key))
	case f.Enum != nil && f.Kind() == Map:
		panic(fmt.Sprintf("setting: %s: a map has no choices", key))
	}
}

// Join puts a section before a key; either may be empty.
func Join(section, key string) string {
	switch {
	case section == "":
		return key
	case key == "":
		return section
	}
	return section + "." + key
}

// Kind is the type of a setting, named as people think of it.
type Kind uint8

// Kinds of settings.
const (
	Unknown Kind = iota
	String
	Bool
	Int
	Float
	Duration
	Size
	List // of strings
	Map  // of strings
)

func kindOf(t reflect.Type) Kind {
	switch t {
	case reflect.TypeFor[Bytes]():
		return Size
	case reflect.TypeFor[time.Duration]():
		return Duration
	case reflect.TypeFor[map[string]string]():
		return Map
	}
	switch {
	case t.Kind() == reflect.String:
		return String
	case t.Kind() == reflect.Bool:
		return Bool
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		return Int
	case t.Kind() == reflect.Float64:
		return Float
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return List
	}
	return Unknown
}

// taggedField reads all tags of a struct's field in one pass: a replica that begins asks for those of all settings several
// times, and reflect.StructTag.Get begins anew for each. keyed says that there is a key, which may be empty.
func taggedField(tag reflect.StructTag) (f Field, keyed bool) {
	for rest := strings.TrimLeft(string(tag), " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		name, quoted, found := strings.Cut(rest, ":")
		text, err := strconv.QuotedPrefix(quoted)
		if !found || err != nil {
			return f, keyed // go vet refuses such a tag
		}
		rest = quoted[len(text):]
		value, _ := strconv.Unquote(text)
		keyed = keyed || name == "key"
		f.set(name, value)
	}
	return f, keyed
}

func (f *Field) set(name, value string) {
	switch name {
	case "key":
		f.Key = value
	case "doc":
		f.Doc = value
	case "example":
		f.Example = value
	case "omit":
		f.Omit, f.Omits = value, true
	case "enum":
		if value != "" {
			f.Enum = strings.Split(value, "|")
		}
	case "secret":
		f.Secret = value == "true"
	case "verdict":
		f.Verdict = value == "true"
	case "bound":
		f.Bound = value == "true"
	case "called":
		f.Called = value
	case "files":
		f.Files = value == "true"
	case "advanced":
		f.Advanced = value == "true"
	}
}
