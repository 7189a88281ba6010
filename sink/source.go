package sink

import (
	"strconv"
	"strings"
)

// ParsePlace reads TOPIC/PARTITION/OFFSET as HeaderSource and HeaderMatch have it. It is false for what they would not
// have.
func ParsePlace(s string) (topic string, partition int32, offset int64, ok bool) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return "", 0, 0, false
	}
	number, err := strconv.ParseInt(parts[1], 10, 32)
	offset, err2 := strconv.ParseInt(parts[2], 10, 64)
	ok = err == nil && err2 == nil && string(appendPlace(nil, parts[0], int32(number), offset)) == s
	return parts[0], int32(number), offset, ok
}

// SourceOf says for which source topic a topic is an output, by the names alone: the first one that may returns true
// for. Role says which output it is. An output without the placeholder is one of any source; source is empty then.
func (p Params) SourceOf(topic string, may func(source string) bool) (source, role string, ok bool) {
	for _, t := range p.templates() {
		source, is := t.sourceOf(topic)
		if is && (source == "" || may(source)) {
			return source, t.key, true
		}
	}
	return "", "", false
}

// sourceOf returns the source topic of which the template makes a topic.
func (t template) sourceOf(topic string) (source string, ok bool) {
	before, _, holds := strings.Cut(t.value, placeholder)
	if !holds {
		return "", topic == t.value
	}
	n := strings.Count(t.value, placeholder)
	length := len(topic) - (len(t.value) - n*len(placeholder))
	if length <= 0 || length%n != 0 {
		return "", false
	}
	if length /= n; len(before)+length > len(topic) {
		return "", false
	}
	source = topic[len(before) : len(before)+length]
	return source, named(t.value, source) == topic
}

// Patterned are the parameters of outputs whose names were kept as templates.
func Patterned(unique, duplicate, rejected, verdicts string) Params {
	p := Params{Unique: unique, Duplicate: duplicate, Rejected: rejected, Metadata: metadataHeaders}
	if verdicts != "" {
		p.Metadata, p.Verdicts = MetadataTopic, verdicts
	}
	if duplicate == unique {
		p.Duplicate = None
	}
	return p
}

// Placeholder stands for the source topic in the name of an output.
const Placeholder = placeholder
