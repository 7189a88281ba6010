package document

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// selectorKind is where an id or a scope comes from.
type selectorKind string

const (
	selectNothing   selectorKind = ""
	selectKey       selectorKind = "key"
	selectPartition selectorKind = "partition"
	selectTopic     selectorKind = "topic"
	selectHeader    selectorKind = "header"
	selectField     selectorKind = "field"
	selectTemplate  selectorKind = "template" // of several others; no word of the settings
)

// selector picks the id or the scope of a record.
type selector struct {
	kind   selectorKind
	header string // its name, for selectHeader
	field  path   // for selectField

	// The rest is for selectTemplate.
	parts   []part
	end     string // what stands behind the last part
	escaped string // the characters that stand with a backslash in what a part becomes
	full    bool   // a part that is empty is missing
}

// part is a part of a template, with what stands before it. It is no template.
type part struct {
	before string
	selector
}

// maxParts bounds the parts of a template, so that the paths of the fields, of both templates and of all conditions fit
// into the bits of one word.
const maxParts = 8

func parseSelector(text string) (selector, error) {
	kind, name, named := strings.Cut(text, ":")
	s := selector{kind: selectorKind(kind)}
	switch s.kind {
	case selectNothing, selectKey, selectPartition, selectTopic:
		if named {
			return selector{}, errors.New("unexpected colon")
		}
		return s, nil
	case selectHeader, selectField:
		return s.named(name)
	case selectTemplate:
	}
	if strings.ContainsAny(text, "{}") {
		return parseTemplate(text)
	}
	return selector{}, errors.New("unknown word")
}

// named returns the selector of a header or a field of that name. A template whose first part has no braces is none.
func (s selector) named(name string) (selector, error) {
	if t, err := parseTemplate(name); err == nil && len(t.parts) > 0 {
		return selector{}, errors.New("each part of several stands in braces, the first too")
	}
	if s.kind == selectField {
		at, err := parsePath(name)
		s.field = at
		return s, err
	}
	if s.header = name; name == "" {
		return selector{}, errors.New("the header has no name")
	}
	return s, nil
}

// parseTemplate reads a text with parts in braces.
func parseTemplate(text string) (selector, error) {
	s := selector{kind: selectTemplate}
	for {
		before, rest, more := strings.Cut(text, "{")
		switch {
		case strings.ContainsFunc(before, notBetween):
			return selector{}, errors.New("what stands beside the parts is printable ASCII without } and \\")
		case !more:
			s.end = before
			return s, nil
		case len(s.parts) == maxParts:
			return selector{}, errors.New("more than " + strconv.Itoa(maxParts) + " parts")
		case len(s.parts) > 0 && before == "":
			return selector{}, errors.New("between two parts stands nothing that tells them apart")
		case len(s.parts) > 0:
			s.escape(before[0])
		}
		name, rest, closed := strings.Cut(rest, "}")
		if !closed {
			return selector{}, errors.New("a brace that does not close")
		}
		p, err := parseSelector(name)
		switch {
		case err != nil:
			return selector{}, errors.New(strconv.Quote(name) + " in braces: " + err.Error())
		case p.kind == selectNothing || p.kind == selectTemplate:
			return selector{}, errors.New("nothing of a record stands in braces")
		}
		s.parts, text = append(s.parts, part{before, p}), rest
	}
}

func notBetween(r rune) bool { return r < ' ' || r > '~' || r == '}' || r == '\\' }

// escape has a character escaped in what parts become, and the backslash too.
func (s *selector) escape(c byte) {
	if s.escaped == "" {
		s.escaped = `\`
	}
	if strings.IndexByte(s.escaped, c) < 0 {
		s.escaped += string(c)
	}
}

// each returns the parts of a template, or the selector itself.
func (s *selector) each() []selector {
	if s.kind != selectTemplate {
		return []selector{*s}
	}
	all := make([]selector, 0, len(s.parts))
	for i := range s.parts {
		all = append(all, s.parts[i].selector)
	}
	return all
}

// fields returns the paths of the fields that are picked, in their order.
func (s *selector) fields() (all []path) {
	for _, one := range s.each() {
		if one.kind == selectField {
			all = append(all, one.field)
		}
	}
	return all
}

// String names what a selector that is no template picks.
func (s *selector) String() string {
	switch s.kind {
	case selectHeader:
		return "header " + s.header
	case selectField:
		return "field " + s.field.String()
	case selectNothing, selectKey, selectPartition, selectTopic, selectTemplate:
	}
	return string(s.kind)
}

// ScopeIsTopic says that documents of each source are compared only with those of the same topic.
func ScopeIsTopic(sources []Source) bool {
	return !slices.ContainsFunc(sources, func(source Source) bool {
		s, _ := parseSelector(source.Reading.Scope) // Validate reports an error
		return !slices.ContainsFunc(s.each(), func(one selector) bool { return one.kind == selectTopic })
	})
}

// ScopeFields returns the fields from which a document's scope is read.
func (p Params) ScopeFields() (names []string) {
	s, err := parseSelector(p.Scope)
	if err != nil {
		return nil // Validate reports it
	}
	for _, at := range s.fields() {
		names = append(names, at.String())
	}
	return names
}

// ByPartition says that the scope of a topic's documents is, or holds, the partition that the record came to.
func (r *Reader) ByPartition(topic string) bool {
	return slices.ContainsFunc(r.reads(topic).scope.each(), func(one selector) bool { return one.kind == selectPartition })
}
