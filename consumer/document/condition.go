package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// Condition says of a record whether it is checked. It looks at one thing, and asks one thing of it:
//
//	header: NAME   the last header of that name    equals, not or exists
//	field: PATH    for formats with fields         equals, not or exists
//	               the size of the value           size_at_least or size_below
//
// A field is compared as a string, as a number in the way it is written, or as true and false; whatever else it holds equals
// no value. What is missing equals no value either, and a null is missing.
type Condition struct {
	Header      string        `key:"header" doc:"the header to test: the last one of that name" example:"lang" verdict:"true" omit:""`
	Field       string        `key:"field" doc:"the field to test, in formats with fields" example:"kind" verdict:"true" omit:""`
	Equals      string        `key:"equals" doc:"the header or field is there and has this value" called:"value" example:"en" verdict:"true" omit:""`
	Not         string        `key:"not" doc:"the header or field is missing, or has another value" called:"value" example:"correction" verdict:"true" omit:""`
	Exists      string        `key:"exists" doc:"true: the header or field is there, false: it is missing" called:"bool" example:"true" verdict:"true" omit:""`
	SizeAtLeast setting.Bytes `key:"size_at_least" doc:"the value has at least so many bytes" example:"200" verdict:"true" omit:"0"`
	SizeBelow   setting.Bytes `key:"size_below" doc:"the value has fewer bytes" example:"1MiB" verdict:"true" omit:"0"`
}

// maxConditions bounds the conditions of a source: the paths of all fields that are read are bits of one word.
const maxConditions = 16

// sized says that a condition is about the size of the value.
func (c *Condition) sized() bool { return c.SizeAtLeast > 0 || c.SizeBelow > 0 }

// tests are those of a condition that are asked, by their keys.
func (c *Condition) tests() (asked []string) {
	for _, t := range []struct {
		key   string
		asked bool
	}{
		{"equals", c.Equals != ""},
		{"not", c.Not != ""},
		{"exists", c.Exists != ""},
		{"size_at_least", c.SizeAtLeast > 0},
		{"size_below", c.SizeBelow > 0},
	} {
		if t.asked {
			asked = append(asked, t.key)
		}
	}
	return asked
}

// value is what a header or a field is compared with.
func (c *Condition) value() string { return cmp.Or(c.Equals, c.Not) }

// holds says whether the condition holds of a header or a field that is there or is missing, and equals the value or
// not.
func (c *Condition) holds(there, equal bool) bool {
	switch {
	case c.Exists != "":
		return there == strings.EqualFold(c.Exists, "true")
	case c.Not != "":
		return !equal
	}
	return equal
}

func (c *Condition) fits(size int) bool {
	return size >= int(c.SizeAtLeast) && (c.SizeBelow == 0 || size < int(c.SizeBelow))
}

// validate reports every mistake of a condition on records of a format.
func (c Condition) validate(format string) (wrong []setting.Mistake) {
	add := func(key, value, problem, remedy string) {
		wrong = append(wrong, setting.Wrong(key, value, problem, remedy))
	}
	const example = "write for example {header: lang, equals: en}, {field: kind, exists: true} or {size_at_least: 200}"
	tests := c.tests()
	switch {
	case c.Header == "" && c.Field == "" && !c.sized():
		add("", strings.Join(tests, " and "), "looks at no header, no field and no size", example)
	case c.Header != "" && c.Field != "":
		add("field", c.Field, "stands beside header: a condition looks at one of them", "write two conditions")
	case len(tests) == 0:
		add("", cmp.Or(c.Header, c.Field), "does not say what must hold", "add equals, not or exists; an empty value is as none")
	case len(tests) > 1:
		add("", strings.Join(tests, " and "), "are two tests", "write a condition for each")
	case c.sized() && c.Header+c.Field != "":
		add(tests[0], "", "is of the value of the record, and stands beside a header or a field", "write a condition for each")
	}
	if exists := strings.ToLower(c.Exists); exists != "" && exists != "true" && exists != "false" {
		add("exists", c.Exists, "is neither true nor false", "write true or false")
	}
	if c.Field == "" {
		return wrong
	}
	if _, err := parsePath(c.Field); err != nil {
		add("field", strconv.Quote(c.Field), err.Error(), `write a name, or names with dots between: "article.body"`)
	} else if !formatOf(format).fields {
		add("field", c.Field, format+" has no fields", "set format: json, or look at a header or the size")
	}
	return wrong
}

// wrongWhen reports the mistakes in conditions.
func (p Params) wrongWhen() (wrong []setting.Mistake) {
	if len(p.When) > maxConditions {
		return []setting.Mistake{setting.Wrong("when", strconv.Itoa(len(p.When))+" conditions", "out of range",
			"write "+strconv.Itoa(maxConditions)+" at most")}
	}
	for i, c := range p.When {
		for _, m := range c.validate(p.Format) {
			m.Key = setting.Join("when["+strconv.Itoa(i)+"]", m.Key)
			wrong = append(wrong, m)
		}
	}
	return wrong
}

// normalWhen returns conditions in one form and order, so that those that mean the same are the same.
func normalWhen(all []Condition) []Condition {
	all = slices.Clone(all)
	for i := range all {
		all[i].Field, all[i].Exists = canonicalPath(all[i].Field), strings.ToLower(all[i].Exists)
	}
	slices.SortFunc(all, func(a, b Condition) int { return strings.Compare(fmt.Sprintf("%#v", a), fmt.Sprintf("%#v", b)) })
	return slices.Compact(all)
}

// when is what a source asks of a record: all of it must hold, or the record is not checked. The zero when asks nothing.
type when struct {
	outer []Condition // what is seen without reading the value
	field []Condition
	paths []path // of the fields
}

// newWhen takes conditions without mistakes.
func newWhen(all []Condition) (w when) {
	for _, c := range all {
		if c.Field == "" {
			w.outer = append(w.outer, c)
			continue
		}
		at, _ := parsePath(c.Field)
		w.field, w.paths = append(w.field, c), append(w.paths, at)
	}
	return w
}

// unmet says that a record is not to be checked, by what is seen without reading its value.
func (w *when) unmet(in *Input) bool {
	return slices.ContainsFunc(w.outer, func(c Condition) bool {
		if c.sized() {
			return !c.fits(len(in.Value)) && in.unmet(&c, true, nil)
		}
		value, there := sink.LastHeader(in.Headers, c.Header)
		return !c.holds(there, there && string(value) == c.value()) && in.unmet(&c, there, value)
	})
}

// fieldsUnmet says that a document is not to be checked, by its fields, which were found in the order of the
// conditions. Without found there are none.
func (w *when) fieldsUnmet(in *Input, c composer, found []value) bool {
	for i := range w.field {
		there, has := false, []byte(nil)
		if found != nil {
			there, has = c.compared(w.paths[i], found[i])
		}
		if is := &w.field[i]; !is.holds(there, has != nil && string(has) == is.value()) {
			return in.unmet(is, there, has)
		}
	}
	return false
}

// compared says whether a field is there, and returns what is compared of it; nil: it holds what equals no value.
func (c composer) compared(at path, v value) (there bool, has []byte) {
	from := len(c.buf)
	switch {
	case v.off || v.kind == absent || v.kind == isNull:
		return false, nil
	case v.kind == isBool:
		return true, strconv.AppendBool(c.buf, v.node == 1)[from:]
	}
	if _, bad := c.name("condition", at, v); bad != nil { // in memory behind the text so far, where the text will stand
		return true, nil
	}
	return true, c.buf[from:]
}

// unmet tells whoever asks of a condition that a record does not meet, and of what it has instead. It is always true.
func (in *Input) unmet(c *Condition, there bool, has []byte) bool {
	if in.Unmet == nil {
		return true
	}
	test := c.tests()[0]
	asked, what := test+": "+cmp.Or(c.value(), c.Exists), "field "+c.Field
	if c.Header != "" {
		what = "header " + c.Header
	}
	switch {
	case c.sized():
		asked, what = test+": "+cmp.Or(c.SizeAtLeast, c.SizeBelow).String(), "the value has "+strconv.Itoa(len(in.Value))+" bytes"
	case !there && c.Header != "" && hasField(in.Value, c.Header):
		what += " is missing, and field " + c.Header + " is there"
	case !there:
		what += " is missing"
	case c.Exists != "" || has == nil:
		what += " is there"
	default:
		what += fmt.Sprintf(" is %.*q", longestShown, has)
	}
	*in.Unmet = what + ", where " + asked + " is asked"
	return true
}

// longestShown is how many bytes are shown of a value that a condition compares.
const longestShown = 40

// hasField says whether a value is a JSON object with a field of this name.
func hasField(value []byte, name string) bool {
	var object map[string]json.RawMessage
	_ = json.Unmarshal(value, &object) // it may be of another format
	return object[name] != nil
}
