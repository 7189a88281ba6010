package setting

import (
	"reflect"
	"strconv"
	"strings"
)

// tags are the tags of a struct's field.
type tags struct {
	keyed, omits                          bool // there is such a tag, which may be empty
	key, doc, example, omit, enum, called string
	secret, verdict, bound, files         bool
	advanced                              bool
}

// tagsOf reads all tags in one pass: a replica that begins asks for those of all settings several times, and
// reflect.StructTag.Get begins anew for each.
func tagsOf(tag reflect.StructTag) (t tags) {
	for rest := strings.TrimLeft(string(tag), " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		name, quoted, found := strings.Cut(rest, ":")
		text, err := strconv.QuotedPrefix(quoted)
		if !found || err != nil {
			return t // go vet refuses such a tag
		}
		rest = quoted[len(text):]
		value, _ := strconv.Unquote(text)
		t.set(name, value)
	}
	return t
}

func (t *tags) set(name, value string) {
	switch name {
	case "key":
		t.key, t.keyed = value, true
	case "doc":
		t.doc = value
	case "example":
		t.example = value
	case "omit":
		t.omit, t.omits = value, true
	case "enum":
		t.enum = value
	case "secret":
		t.secret = value == "true"
	case "verdict":
		t.verdict = value == "true"
	case "bound":
		t.bound = value == "true"
	case "called":
		t.called = value
	case "files":
		t.files = value == "true"
	case "advanced":
		t.advanced = value == "true"
	}
}
