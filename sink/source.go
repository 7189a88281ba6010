package sink

import (
	"strconv"
	"strings"

	"github.com/unecho/unecho/index/entry"
)

// ParseCoordinates reads TOPIC/PARTITION/OFFSET as HeaderSource and HeaderMatch have it. It is false for what they would not
// have.
func ParseCoordinates(s string) (of entry.PartitionName, offset int64, ok bool) {
	at := strings.LastIndexByte(s, '/')
	of, ok = entry.ParseName(s[:max(at, 0)])
	offset, err := strconv.ParseInt(s[at+1:], 10, 64)
	return of, offset, ok && err == nil && string(appendCoordinates(nil, of.Topic, of.Partition, offset)) == s
}

// SourceOf says for which source topic a topic is an output, by the names alone: the first one that may returns true
// for. Role says which output it is. An output without the placeholder is one of any source; source is empty then.
func (p Params) SourceOf(topic string, may func(source string) bool) (source, role string, ok bool) {
	for _, t := range p.templates() {
		source, is := t.sourceOf(topic)
		if is && (source == "" || may(source)) {
			return source, t.role, true
		}
	}
	return "", "", false
}

// sourceOf returns the source topic of which the template makes a topic.
func (t template) sourceOf(topic string) (source string, ok bool) {
	before, _, holds := strings.Cut(t.value, Placeholder)
	if !holds {
		return "", topic == t.value
	}
	n := strings.Count(t.value, Placeholder)
	length := len(topic) - (len(t.value) - n*len(Placeholder))
	if length <= 0 || length%n != 0 {
		return "", false
	}
	if length /= n; len(before)+length > len(topic) {
		return "", false
	}
	source = topic[len(before) : len(before)+length]
	return source, named(t.value, source) == topic
}
