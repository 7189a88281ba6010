package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// Source says which topics are read, and how their records become documents. A topic is read by the source that names it,
// else by the first whose pattern fits its whole name.
type Source struct {
	Topics  []string `key:"topics" doc:"topics to read; see also pattern" called:"topics" example:"[news]"`
	Pattern string   `key:"pattern" doc:"a regular expression (RE2) for the whole name of further topics to read, also of those created later; they are read from their start. It never matches outputs, journals and internal topics" example:"news\\..+"`
	Reading Params   `key:""`
	Start   string   `key:"start" doc:"where reading begins in a topic that the group has never read" enum:"earliest|latest" advanced:"true"`
}

// DefaultSource are the defaults of a source, which has no topics yet.
func DefaultSource() Source { return Source{Reading: DefaultParams(), Start: "earliest"} }

// SetDefaults sets the defaults.
func (s *Source) SetDefaults() { *s = DefaultSource() }

// maxSources bounds the sources, each of which has a decoder of its own.
const maxSources = 64

// maxPattern bounds a pattern's bytes.
const maxPattern = 1000

// Compile returns the pattern; it is nil if there is none.
func (s *Source) Compile() (*regexp.Regexp, error) {
	switch {
	case s.Pattern == "":
		return nil, nil // topics are named
	case len(s.Pattern) > maxPattern:
		return nil, fmt.Errorf("is longer than %d bytes", maxPattern)
	}
	return setting.Whole(s.Pattern)
}

// KeyOf is the key of a source by its number.
func KeyOf(number int) string { return "sources[" + strconv.Itoa(number) + "]" }

// Named are the topics that sources name.
func Named(sources []Source) (topics []string) {
	for i := range sources {
		topics = append(topics, sources[i].Topics...)
	}
	return topics
}

// Open says that topics may come and go, because a source has a pattern.
func Open(sources []Source) bool {
	return slices.ContainsFunc(sources, func(s Source) bool { return s.Pattern != "" })
}

// Latest says that a topic is to be read from its end where it is new.
func Latest(sources []Source, topic string) bool {
	return slices.ContainsFunc(sources, func(s Source) bool { return s.Start == "latest" && slices.Contains(s.Topics, topic) })
}

// Only returns the sources with these topics alone, each read as before, and those that no source reads. Where there is one
// source, it reads any topic.
func Only(sources []Source, topics []string) (only []Source, unread []string, err error) {
	d, err := dispatchOf(sources)
	if err != nil {
		return nil, nil, err
	}
	only = slices.Clone(sources)
	for i := range only {
		only[i].Topics, only[i].Pattern = nil, ""
	}
	for _, topic := range topics {
		at, reads := d.source(topic)
		if !reads && len(only) != 1 {
			unread = append(unread, topic)
			continue
		}
		only[at].Topics = append(only[at].Topics, topic)
	}
	return only, unread, nil
}

// dispatch knows which source reads a topic.
type dispatch struct {
	named    map[string]int
	patterns []*regexp.Regexp // nil: that source has none
	readers  []*Reader
	known    sync.Map // *Reader by topic that a pattern fits, of maxKnown at most: callers of the API name any
	stored   atomic.Int32
}

func dispatchOf(sources []Source) (*dispatch, error) {
	d := &dispatch{named: map[string]int{}}
	for i := range sources {
		fits, err := sources[i].Compile()
		if err != nil {
			return nil, fmt.Errorf("%s.pattern: %q: %w", KeyOf(i), sources[i].Pattern, err)
		}
		d.patterns = append(d.patterns, fits)
		for _, topic := range sources[i].Topics {
			d.named[topic] = i
		}
	}
	return d, nil
}

// source is the number of the source that reads a topic; that of the first one if none does.
func (d *dispatch) source(topic string) (number int, reads bool) {
	if at, named := d.named[topic]; named {
		return at, true
	}
	at := slices.IndexFunc(d.patterns, func(fits *regexp.Regexp) bool { return fits != nil && fits.MatchString(topic) })
	return max(at, 0), at >= 0
}

// NewSources returns a Reader of the topics of all sources, or the first mistake in them. What is of no source's topics is read
// as the first source says.
func NewSources(sources []Source) (*Reader, error) {
	if len(sources) == 0 {
		return nil, fmt.Errorf("%w: there are no sources", ErrParams)
	}
	by, err := dispatchOf(sources)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParams, err)
	}
	for i := range sources {
		r, err := New(sources[i].Reading)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", KeyOf(i), err)
		}
		r.key = KeyOf(i)
		by.readers = append(by.readers, r)
	}
	first := by.readers[0]
	if len(sources) > 1 {
		all := *first
		all.by, first = by, &all
	}
	return first, nil
}

func (r *Reader) reads(topic string) *Reader {
	if r.by == nil {
		return r
	}
	if at, named := r.by.named[topic]; named {
		return r.by.readers[at]
	}
	if known, ok := r.by.known.Load(topic); ok {
		return known.(*Reader) // nothing else is stored
	}
	at, _ := r.by.source(topic)
	found := r.by.readers[at]
	if r.by.stored.Load() < maxKnown {
		r.by.stored.Add(1)
		r.by.known.Store(topic, found)
	}
	return found
}

// maxKnown is of how many topics it is kept which source reads them. For others the patterns are asked each time.
const maxKnown = 10_000

// MaxBytes is how many bytes the value of a topic may have; where its text is in fields, it alone is bounded.
func (r *Reader) MaxBytes(topic string) int {
	if r = r.reads(topic); r.whole {
		return r.maxBytes
	}
	return math.MaxInt
}

// Key is the key of the source that reads a topic, as sources[1].
func (r *Reader) Key(topic string) string { return r.reads(topic).key }

// Overlooked says that a value of a topic is a JSON object which is compared as it is written, because nobody has said its format.
func (r *Reader) Overlooked(topic string, value []byte) bool {
	return r.reads(topic).byDefault && bytes.HasPrefix(bytes.TrimSpace(value), []byte("{")) && json.Valid(value)
}

// Refuses says for which reason a text that is given from outside would be rejected as the text of a topic's document; it is
// empty where it would not.
func (r *Reader) Refuses(topic, text string) sink.Reason {
	switch r = r.reads(topic); {
	case len(text) > r.maxBytes:
		return sink.TooLarge
	case r.strict && !utf8.ValidString(text):
		return sink.InvalidEncoding
	}
	return ""
}
