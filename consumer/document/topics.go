package document

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/unecho/unecho/index/setting"
)

// Documents of some topics may be read otherwise than the rest: document.by_topic has items of the form
//
//	PATTERN KEY = VALUE        blogs\..+ format = json
//
// PATTERN is a regular expression of the topic's whole name. Items of the same pattern belong together. The first
// pattern that fits a topic counts, and the settings that it leaves out are those of all topics.

// maxTopics bounds the patterns, each of which has a decoder of its own.
const maxTopics = 64

// byTopic are the settings that a topic may have for itself, in the order in which messages name them. The others are
// of all documents: a scope, because lookups name it; schema files, because their content is pinned once.
func byTopic() []string {
	return []string{"format", "fields", "html_fields", "base64_fields", "id", "framing", "message", "invalid_utf8", "missing"}
}

// topicParams are the Params of the topics that a pattern fits.
type topicParams struct {
	Params
	pattern string
	fits    *regexp.Regexp
	item    int            // the first of this pattern
	items   map[string]int // by the setting
}

// of returns the item that has to do with a setting, or the first one.
func (t *topicParams) of(key string) int {
	key, _, _ = strings.Cut(key, "[")
	if item, ok := t.items[key]; ok {
		return item
	}
	return t.item
}

// TopicError says what is wrong with an item of document.by_topic.
type TopicError struct {
	Item            int
	Problem, Remedy string
}

// Error is one line.
func (e *TopicError) Error() string { return e.Problem }

// errTopicForm is of an item that has not the form.
var errTopicForm = errors.New("is not of the form PATTERN KEY = VALUE")

// cutTopic takes an item apart.
func cutTopic(item string) (pattern, key, value string, err error) {
	pattern, rest, _ := strings.Cut(strings.TrimSpace(item), " ")
	key, value, ok := strings.Cut(rest, "=")
	if key = strings.TrimSpace(key); !ok || pattern == "" || key == "" || strings.Contains(pattern, "=") {
		return "", "", "", errTopicForm
	}
	return pattern, key, strings.TrimSpace(value), nil
}

// topics returns the Params of each pattern, in their order, and everything that is wrong with the items.
func (p Params) topics() (all []*topicParams, wrong []*TopicError) {
	for i, item := range p.ByTopic {
		pattern, key, value, err := cutTopic(item)
		if err != nil {
			wrong = append(wrong, &TopicError{i, err.Error(), `write for example "blogs\..+ format = json"`})
			continue
		}
		at := slices.IndexFunc(all, func(t *topicParams) bool { return t.pattern == pattern })
		if at < 0 {
			fits, err := setting.Whole(pattern)
			if err != nil {
				wrong = append(wrong, &TopicError{
					i, "has no regular expression before its blank: " + err.Error(),
					`begin with one of a topic's whole name, as in "blogs\..+ format = json"`,
				})
				continue
			}
			at = len(all)
			all = append(all, &topicParams{Params: p, pattern: pattern, fits: fits, item: i, items: map[string]int{}})
			all[at].ByTopic = nil
		}
		if _, twice := all[at].items[key]; twice {
			wrong = append(wrong, &TopicError{i, key + " stands twice for " + pattern, "keep one of the two"})
		}
		if problem, remedy := all[at].set(key, value); problem != "" {
			wrong = append(wrong, &TopicError{i, problem, remedy})
		}
		all[at].items[key] = i
	}
	for _, t := range all {
		t.withoutSchemas()
	}
	return all, wrong
}

// withoutSchemas takes schemas away from a format that has none: they are for documents of other topics.
func (t *topicParams) withoutSchemas() {
	if !formatOf(t.Format).schemas {
		t.SchemaFile, t.Schema, t.Registry.URLs = "", "", nil
	}
}

// schemasOfTopics says that documents of some topics have schemas.
func (p Params) schemasOfTopics() bool {
	all, _ := p.topics()
	return slices.ContainsFunc(all, func(t *topicParams) bool { return formatOf(t.Format).schemas })
}

// set sets one setting.
func (t *topicParams) set(key, value string) (problem, remedy string) {
	if !slices.Contains(byTopic(), key) {
		return key + " is no setting that a topic may have for itself", "write one of " + strings.Join(byTopic(), ", ")
	}
	setting.Walk(&t.Params, func(f setting.Field) {
		if f.Key != key {
			return
		}
		if m := f.Set(value); m != nil {
			problem, remedy = key+" "+m.Problem, m.Remedy
		}
	})
	return problem, remedy
}

// wrongTopics reports the mistakes in by_topic: of its items, and of what they make of the settings.
func (p Params) wrongTopics() (wrong []setting.Mistake) {
	all, items := p.topics()
	if len(all) > maxTopics {
		return []setting.Mistake{setting.Wrong("by_topic", strconv.Itoa(len(all))+" patterns", "out of range",
			"write "+strconv.Itoa(maxTopics)+" at most")}
	}
	base := p
	base.ByTopic = nil
	usual := base.Validate()
	for _, t := range all {
		for _, m := range t.Validate() {
			if !slices.Contains(usual, m) {
				items = append(items, &TopicError{t.of(m.Key), "makes " + m.Key + " wrong there: " + m.Problem, m.Remedy})
			}
		}
	}
	slices.SortStableFunc(items, func(a, b *TopicError) int { return cmp.Compare(a.Item, b.Item) })
	for _, e := range items {
		wrong = append(wrong, setting.Wrong("by_topic["+strconv.Itoa(e.Item)+"]", strconv.Quote(p.ByTopic[e.Item]), e.Problem,
			e.Remedy))
	}
	return wrong
}

// wrongWhenOfTopics reports the conditions that are wrong for documents of some topics only.
func (p Params) wrongWhenOfTopics(texts []string, usual []setting.Mistake) (wrong []setting.Mistake) {
	all, _ := p.topics()
	for _, t := range all {
		for _, m := range t.WrongWhen(texts) {
			if !slices.Contains(usual, m) {
				m.Problem += ", in topics of " + t.pattern + " (document.by_topic)"
				wrong = append(wrong, m)
			}
		}
	}
	return wrong
}

// NormalByTopic returns the items in one form, so that those that mean the same are the same. Their order has a
// meaning. What is no item stays as it is.
func NormalByTopic(items []string) []string {
	normal := make([]string, len(items))
	for i, item := range items {
		normal[i] = item
		if pattern, key, value, err := cutTopic(item); err == nil {
			normal[i] = pattern + " " + key + " = " + value
		}
	}
	return normal
}

// topicReaders are the readers of topics that are read otherwise.
type topicReaders struct {
	of    []topicReader
	known sync.Map // *Reader by topic; a process reads as many topics as it has sources
}

type topicReader struct {
	fits   *regexp.Regexp
	reader *Reader
}

// newTopicReaders returns nil if all topics are read alike.
func newTopicReaders(p Params, when []string) (*topicReaders, error) {
	all, _ := p.topics() // Validate has seen what is wrong
	if len(all) == 0 {
		return nil, nil // all topics are read alike
	}
	readers := &topicReaders{}
	for _, t := range all {
		r, err := readerOf(t.Params, when)
		if err != nil {
			return nil, fmt.Errorf("topics of %s: %w", t.pattern, err)
		}
		readers.of = append(readers.of, topicReader{t.fits, r})
	}
	return readers, nil
}

// MaxBytes is how many bytes the value of a topic may have; where its text is in fields, it alone is bounded.
func (r *Reader) MaxBytes(topic string) int {
	if r = r.reads(topic); r.whole {
		return r.maxBytes
	}
	return math.MaxInt
}

// reads returns the reader of a topic.
func (r *Reader) reads(topic string) *Reader {
	if r.topics == nil {
		return r
	}
	if known, ok := r.topics.known.Load(topic); ok {
		return known.(*Reader) // nothing else is stored
	}
	found := r
	if at := slices.IndexFunc(r.topics.of, func(t topicReader) bool { return t.fits.MatchString(topic) }); at >= 0 {
		found = r.topics.of[at].reader
	}
	r.topics.known.Store(topic, found)
	return found
}
