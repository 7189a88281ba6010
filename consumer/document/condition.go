package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/unecho/unecho/index/setting"
)

// A condition says of a record whether it is checked:
//
//	header:NAME  = | != value      the last header of that name
//	header:NAME  exists | missing
//	field:PATH   = | != value      for formats with fields; a null is missing
//	field:PATH   exists | missing
//	size         = | != | < | <= | > | >= size of the value
//
// A value is the rest of the text, or stands in double quotes, with the escapes of JSON and Go. A field is compared as a
// string, as a number in the way it is written, or as true and false; whatever else it holds equals no value. What is
// missing equals no value either.
type condition struct {
	kind   selectorKind // selectHeader or selectField; selectNothing is the size
	header string
	field  path
	op     operator
	value  string
	size   int
}

type operator string

const (
	opEqual     operator = "="
	opUnequal   operator = "!="
	opLess      operator = "<"
	opAtMost    operator = "<="
	opMore      operator = ">"
	opAtLeast   operator = ">="
	opExists    operator = "exists"
	opMissing   operator = "missing"
	sizeSubject          = "size"
)

// maxConditions bounds source.when: the paths of all fields that are read are bits of one word.
const maxConditions = 16

// ConditionError says what is wrong with a condition, and where.
type ConditionError struct {
	At   int // byte in the text
	What string
}

func (e *ConditionError) Error() string { return fmt.Sprintf("at character %d: %s", e.At+1, e.What) }

// parseCondition reads one condition.
func parseCondition(text string) (c condition, err error) {
	p := conditionText{text: text}
	p.blank()
	from := p.at
	subject := p.until(" \t=!<>")
	c.kind = selectNothing
	if subject != sizeSubject {
		s, err := parseSelector(subject)
		if err != nil || s.kind != selectHeader && s.kind != selectField {
			return c, &ConditionError{from, "a condition begins with header:NAME, field:PATH or size"}
		}
		c.kind, c.header, c.field = s.kind, s.header, s.field
	}
	p.blank()
	from = p.at
	if c.op = p.operator(); c.op == "" {
		return c, &ConditionError{from, "one of " + operators(c.kind) + " is expected"}
	}
	if !slices.Contains(operatorsOf(c.kind), c.op) {
		return c, &ConditionError{from, string(c.op) + " says nothing here: write one of " + operators(c.kind)}
	}
	if next := p.rest(); next != "" && strings.IndexByte("=~", next[0]) >= 0 {
		return c, &ConditionError{from, string(c.op) + next[:1] + " is no operator: write one of " + operators(c.kind) +
			"; a value that begins with " + next[:1] + " stands in quotes"}
	}
	p.blank()
	from = p.at
	rest := strings.TrimRight(p.rest(), " \t")
	switch {
	case c.op == opExists || c.op == opMissing:
		if rest != "" {
			return c, &ConditionError{from, "nothing stands behind " + string(c.op)}
		}
	case c.kind == selectNothing:
		var size setting.Bytes
		if err := size.UnmarshalText([]byte(rest)); err != nil || size < 0 {
			return c, &ConditionError{from, "a size is expected, for example 200 or 1MiB"}
		}
		c.size = int(size)
	case rest == "":
		return c, &ConditionError{from, `a value is expected; "" is the empty one`}
	case rest[0] == '"':
		if c.value, err = strconv.Unquote(rest); err != nil {
			return c, &ConditionError{from, "the quotes do not close, or an escape is unknown"}
		}
	default:
		c.value = rest
	}
	if !utf8.ValidString(c.value) {
		return c, &ConditionError{from, "the value is not UTF-8"}
	}
	return c, nil
}

// String is the condition in one form: two conditions of the same meaning have the same.
func (c *condition) String() string {
	var subject, value string
	switch c.kind {
	case selectHeader:
		subject = "header:" + c.header
	case selectField:
		subject = "field:" + c.field.String()
	case selectNothing, selectKey, selectPartition, selectTopic, selectTemplate:
		return fmt.Sprintf("%s %s %d", sizeSubject, c.op, c.size)
	}
	if c.op == opExists || c.op == opMissing {
		return subject + " " + string(c.op)
	}
	if value = c.value; value == "" || strings.IndexByte(`"=~`, value[0]) >= 0 || strings.Trim(value, " \t") != value || !printable(value) {
		value = strconv.Quote(value)
	}
	return fmt.Sprintf("%s %s %s", subject, c.op, value)
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) })
}

// conditionText is a text that is read from the left.
type conditionText struct {
	text string
	at   int
}

func (p *conditionText) blank() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// until reads up to one of the bytes.
func (p *conditionText) until(stops string) string {
	from := p.at
	for p.at < len(p.text) && strings.IndexByte(stops, p.text[p.at]) < 0 {
		p.at++
	}
	return p.text[from:p.at]
}

func (p *conditionText) operator() operator {
	for _, op := range []operator{opUnequal, opAtMost, opAtLeast, opEqual, opLess, opMore} {
		if strings.HasPrefix(p.text[p.at:], string(op)) {
			p.at += len(op)
			return op
		}
	}
	if word := operator(p.until(" \t")); word == opExists || word == opMissing {
		return word
	}
	return ""
}

func (p *conditionText) rest() string { return p.text[p.at:] }

func operatorsOf(kind selectorKind) []operator {
	if kind == selectNothing {
		return []operator{opEqual, opUnequal, opLess, opAtMost, opMore, opAtLeast}
	}
	return []operator{opEqual, opUnequal, opExists, opMissing}
}

func operators(kind selectorKind) string {
	var words []string
	for _, op := range operatorsOf(kind) {
		words = append(words, string(op))
	}
	return strings.Join(words, ", ")
}

// holds says whether the condition holds of a header or a field that is there or is missing, and equals the value or
// not.
func (c *condition) holds(there, equal bool) bool {
	switch c.op {
	case opExists:
		return there
	case opMissing:
		return !there
	case opUnequal:
		return !equal
	case opEqual, opLess, opAtMost, opMore, opAtLeast:
	}
	return equal
}

// fits says whether the condition holds of a size.
func (c *condition) fits(size int) bool {
	switch c.op {
	case opEqual:
		return size == c.size
	case opUnequal:
		return size != c.size
	case opLess:
		return size < c.size
	case opAtMost:
		return size <= c.size
	case opMore:
		return size > c.size
	case opAtLeast:
		return size >= c.size
	case opExists, opMissing:
	}
	return false
}

// When is what source.when asks of a record: all of it must hold, or the record is not checked. The zero When asks
// nothing.
type When struct {
	outer []condition // what is seen without reading the value
	field []condition
}

// ParseWhen reads conditions. WrongWhen says what is wrong with those that it does not read.
func ParseWhen(texts []string) (w When, err error) {
	for _, text := range texts {
		c, err := parseCondition(text)
		switch {
		case err != nil:
			return When{}, fmt.Errorf("%w: source.when: %q: %w", ErrParams, text, err)
		case c.kind == selectField:
			w.field = append(w.field, c)
		default:
			w.outer = append(w.outer, c)
		}
	}
	return w, nil
}

// WrongWhen reports the mistakes in conditions on records of these Params. The key is when.
func (p Params) WrongWhen(texts []string) (wrong []setting.Mistake) {
	if len(texts) > maxConditions {
		return []setting.Mistake{setting.Wrong("when", strconv.Itoa(len(texts))+" conditions", "out of range",
			"write "+strconv.Itoa(maxConditions)+" at most")}
	}
	for i, text := range texts {
		key := "when[" + strconv.Itoa(i) + "]"
		c, err := parseCondition(text)
		switch {
		case err != nil:
			wrong = append(wrong, setting.Wrong(key, strconv.Quote(text), err.Error(),
				`write for example "header:lang = en", "field:kind exists" or "size >= 200"`))
		case c.kind == selectField && !formatOf(p.Format).fields:
			wrong = append(wrong, setting.Wrong(key, text, "raw text has no fields",
				"set document.format: json, or look at a header or the size"))
		}
	}
	if len(p.ByTopic) > 0 {
		wrong = append(wrong, p.wrongWhenOfTopics(texts, wrong)...)
	}
	return wrong
}

// NormalWhen returns conditions in one form and order, so that those that mean the same are the same. What is no
// condition stays as it is.
func NormalWhen(texts []string) []string {
	normal := make([]string, 0, len(texts))
	for _, text := range texts {
		if c, err := parseCondition(text); err == nil {
			text = c.String()
		}
		normal = append(normal, text)
	}
	slices.Sort(normal)
	return slices.Compact(normal)
}

// unmet says that a record is not to be checked, by what is seen without reading its value.
func (w *When) unmet(in *Input) bool {
	return slices.ContainsFunc(w.outer, func(c condition) bool {
		if c.kind == selectNothing {
			return !c.fits(len(in.Value))
		}
		value, there := header(in.Headers, c.header)
		return !c.holds(there, there && string(value) == c.value)
	})
}

// fieldsUnmet says that a document is not to be checked, by its fields, which were found in the order of the
// conditions. Without found there are none.
func (w *When) fieldsUnmet(c composer, found []value) bool {
	for i := range w.field {
		there, equal := false, false
		if found != nil {
			there, equal = c.compare(&w.field[i], found[i])
		}
		if !w.field[i].holds(there, equal) {
			return true
		}
	}
	return false
}

// compare says whether a field is there, and equals the value of a condition.
func (c composer) compare(with *condition, v value) (there, equal bool) {
	switch {
	case v.off || v.kind == absent || v.kind == isNull:
		return false, false
	case v.kind == isBool:
		return true, strconv.FormatBool(v.node == 1) == with.value
	}
	from := len(c.buf)
	_, bad := c.name("condition", with.field, v) // in memory behind the text so far, where the text will stand
	return true, bad == nil && string(c.buf[from:]) == with.value
}
