package setting

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Text returns the value as a person would write it: 24h, 1GiB, 0.8; the items of a list are separated by commas, and so
// are those of a map: a=b,c=d. It does not mask secrets.
func (f Field) Text() string {
	switch f.Kind() {
	case Bool:
		return strconv.FormatBool(f.value.Bool())
	case Int:
		return strconv.FormatInt(f.value.Int(), 10)
	case Float:
		return strconv.FormatFloat(f.value.Float(), 'f', -1, 64)
	case Duration:
		return FormatDuration(time.Duration(f.value.Int()))
	case Size:
		return Bytes(f.value.Int()).String()
	case List:
		return strings.Join(f.Items(), ",")
	case Map:
		return f.joined()
	case String, Unknown:
	}
	return f.value.String()
}

// Items returns the items of a list; never nil.
func (f Field) Items() []string {
	items := make([]string, f.value.Len())
	for i := range items {
		items[i] = f.value.Index(i).String()
	}
	return items
}

// Set parses what Text writes; a list is split at its commas. It returns what is wrong with text, or nil. If text is
// wrong, the value stays as it was.
func (f Field) Set(text string) *Mistake {
	switch f.Kind() { //nolint:exhaustive // all others are one value
	case List:
		return f.SetItems(split(text))
	case Map:
		pairs, m := f.pairs(text)
		if m == nil {
			m = f.SetPairs(pairs)
		}
		return m
	}
	parsed, m := f.parse(text)
	if m == nil {
		f.value.Set(parsed)
	}
	return m
}

// Equals says whether text means the value that the setting has.
func (f Field) Equals(text string) bool {
	switch f.Kind() { //nolint:exhaustive // all others are one value
	case List:
		return slices.Equal(f.Items(), f.spellings(split(text)))
	case Map:
		pairs, m := f.pairs(text)
		return m == nil && maps.Equal(f.Pairs(), pairs)
	}
	parsed, m := f.parse(text)
	return m == nil && Field{value: parsed}.Text() == f.Text()
}

// parse reads one value of the setting's type.
func (f Field) parse(text string) (reflect.Value, *Mistake) {
	if !utf8.ValidString(text) {
		return reflect.Value{}, f.wrong(text, "is not valid UTF-8", "write it in UTF-8")
	}
	text = f.spelt(text)
	parsed := reflect.New(f.value.Type()).Elem()
	if problem, remedy := parse(parsed, f.Kind(), strings.TrimSpace(text), text); problem != "" {
		return reflect.Value{}, f.wrong(text, problem, remedy)
	}
	return parsed, f.outside(Field{value: parsed}.Text())
}

// SetItems sets a list. It returns what is wrong with it, or nil.
func (f Field) SetItems(items []string) *Mistake {
	list := reflect.MakeSlice(f.value.Type(), len(items), len(items))
	for i, item := range f.spellings(items) {
		if !utf8.ValidString(item) {
			return f.wrong(item, "is not valid UTF-8", "write it in UTF-8")
		}
		if m := f.outside(item); m != nil {
			return m
		}
		list.Index(i).SetString(item)
	}
	f.value.Set(list)
	return nil
}

// Misspelt reports each setting below params that allows only certain words (enum) and has another.
func Misspelt(params any) []Mistake {
	var wrong []Mistake
	for _, f := range Fields(params) {
		texts := []string{f.Text()}
		if f.Kind() == List {
			texts = f.Items()
		}
		for _, text := range texts {
			if m := f.outside(text); m != nil {
				wrong = append(wrong, *m)
			}
		}
	}
	return wrong
}

// spelt returns the choice that text is, in any case, so that equal settings have equal texts.
func (f Field) spelt(text string) string {
	for _, word := range f.Enum {
		if strings.EqualFold(word, strings.TrimSpace(text)) {
			return word
		}
	}
	return text
}

func (f Field) spellings(items []string) []string {
	out := make([]string, len(items))
	for i := range items {
		out[i] = f.spelt(items[i])
	}
	return out
}

func (f Field) outside(text string) *Mistake {
	if len(f.Enum) == 0 || slices.Contains(f.Enum, text) {
		return nil
	}
	return f.wrong(text, "is not one of the choices", "write "+OneOf(f.Enum))
}

func (f Field) wrong(text, problem, remedy string) *Mistake {
	if f.Secret {
		text = ""
	}
	return &Mistake{Key: f.Key, Value: text, Problem: problem, Remedy: remedy}
}

func split(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	items := strings.Split(text, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

// parse sets v from text. It keeps the spaces around a string, and ignores them around every other type.
func parse(v reflect.Value, kind Kind, text, raw string) (problem, remedy string) {
	switch kind {
	case Bool:
		switch strings.ToLower(text) {
		case "true", "yes", "on": // YAML before 1.2, which Helm reads, has them all
			v.SetBool(true)
		case "false", "no", "off":
			v.SetBool(false)
		default:
			return "is neither true nor false", "write true or false"
		}
	case Int:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return "is not a whole number", "write digits only, such as 128"
		}
		v.SetInt(n)
	case Float:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return "is not a number", "write a number such as 0.8"
		}
		v.SetFloat(x)
	case Duration:
		return parseDuration(v, text)
	case Size:
		var b Bytes
		if b.UnmarshalText([]byte(text)) != nil {
			return "is not a size", sizeRemedy
		}
		v.SetInt(int64(b))
	case String, List, Map, Unknown:
		v.SetString(raw)
	}
	return "", ""
}

// OneOf joins words to a choice: a, b or c.
func OneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Bounds of a map. Those of topics and of OAuth have a dozen short texts.
const (
	maxPairs     = 256
	maxPairBytes = 64 << 10
)

// Pairs returns a copy of a map's texts; never nil.
func (f Field) Pairs() map[string]string {
	pairs := make(map[string]string, f.value.Len())
	maps.Copy(pairs, f.texts())
	return pairs
}

// SetPairs sets a map. It returns what is wrong with it, or nil.
func (f Field) SetPairs(pairs map[string]string) *Mistake {
	size := 0
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		size += len(name) + len(pairs[name])
		switch {
		case name == "":
			return f.wrong("", "has a text without a name", "write a name before each text")
		case !utf8.ValidString(name + pairs[name]):
			return f.wrong(name, "is not valid UTF-8", "write it in UTF-8")
		}
	}
	if len(pairs) > maxPairs || size > maxPairBytes {
		return f.wrong("", "is too large", "write at most 256 names, with 64KiB of text")
	}
	list := maps.Clone(pairs)
	if len(pairs) == 0 {
		list = nil
	}
	*f.value.Addr().Interface().(*map[string]string) = list
	return nil
}

func (f Field) texts() map[string]string {
	texts, _ := f.value.Interface().(map[string]string)
	return texts
}

// pairs parses what joined writes.
func (f Field) pairs(text string) (map[string]string, *Mistake) {
	pairs := map[string]string{}
	for _, item := range split(text) {
		name, value, found := strings.Cut(item, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !found || name == "" {
			return nil, f.wrong(item, "has no name and text", "write name=text, and a comma between two")
		}
		if _, twice := pairs[name]; twice {
			return nil, f.wrong(item, "has a name that is there already", "remove one of the two")
		}
		pairs[name] = value
	}
	return pairs, nil
}

// joined writes a map as name=text, sorted, with a comma between two.
func (f Field) joined() string {
	texts := f.texts()
	items := slices.Sorted(maps.Keys(texts))
	for i, name := range items {
		items[i] = name + "=" + texts[name]
	}
	return strings.Join(items, ",")
}
