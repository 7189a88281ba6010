package setting

import (
	"reflect"
	"strconv"
	"strings"
)

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
