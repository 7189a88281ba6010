package routing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// Text returns the canonical text of a routing: which topics are read, from where on if a topic is new, and into which
// topics its documents go. Names are those in effect, so that a placeholder equals what it stands for. The order of the
// source topics does not matter. Settings that only permit something once, or say how outputs are created, are no part
// of it.
//
// A pattern stands there as it is, and the outputs of the topics that it brings with their placeholders. So a topic that
// comes is no other routing.
func Text(from Source, out sink.Params) []byte {
	topics := slices.Sorted(slices.Values(from.Topics))
	values := map[string]any{"source.start": from.Start, keyDry: out.DryRun}
	if values[keyTopics] = topics; from.Pattern != "" {
		values[keyTopics], values[keyPattern] = append([]string{}, topics...), from.Pattern
		topics = append(topics, sink.Placeholder)
	}
	for _, source := range topics {
		unique, duplicate, rejected := out.Topics(source)
		values["outputs.unique"+of+source], values["outputs.duplicate"+of+source], values["outputs.rejected"+of+source] = unique,
			duplicate, rejected
		if verdicts := out.VerdictsTopic(source); verdicts != "" {
			values[verdictsKey+source] = verdicts
		}
	}
	return encode(values)
}

// The keys that say which topics are read, and that nothing is written.
const (
	keyTopics  = "source.topics"
	keyPattern = "source.pattern"
	keyDry     = "--dry-run" // of unecho run
)

// values are what a routing says, by its keys.
type values map[string]any

// read returns nothing where a text is none of a routing.
func read(text []byte) values {
	v := values{}
	if err := json.Unmarshal(text, &v); err != nil {
		return nil
	}
	return v
}

// text returns the text of a key; it is empty if there is none.
func (v values) text(key string) string {
	text, _ := v[key].(string)
	return text
}

// sources are the topics that are named.
func (v values) sources() (names []string) {
	list, _ := v[keyTopics].([]any)
	for _, name := range list {
		names = append(names, fmt.Sprint(name))
	}
	return names
}

func (v values) choice(others ...string) (*Choice, error) {
	return Choose(Source{Topics: v.sources(), Pattern: v.text(keyPattern)}, v.templates(), others...)
}

// templates are the outputs of the topics that a pattern brings.
func (v values) templates() sink.Params {
	name := func(key string) string { return v.text(key + of + sink.Placeholder) }
	return sink.Outputs(name("outputs.unique"), name("outputs.duplicate"), name("outputs.rejected"), name("outputs.verdicts"))
}

// Pattern returns the pattern of a routing; it is empty if all topics are named.
func Pattern(text []byte) string { return read(text).text(keyPattern) }

// Chosen returns the choice that a routing makes. Others are as for Choose.
func Chosen(text []byte, others ...string) (*Choice, error) { return read(text).choice(others...) }

// Outputs returns the topics to which a routing sends the documents of a source topic. Duplicate is empty if duplicates
// are dropped. ok is false if it sends them nowhere.
func Outputs(text []byte, source string) (unique, duplicate, rejected string, ok bool) {
	v := read(text)
	if c, err := v.choice(); err != nil || !c.Reads(source) || v[keyDry] == true {
		return "", "", "", false
	}
	if !slices.Contains(v.sources(), source) {
		unique, duplicate, rejected = v.templates().Topics(source)
		return unique, duplicate, rejected, true
	}
	name := func(key string) string { return v.text(key + of + source) }
	return name("outputs.unique"), name("outputs.duplicate"), name("outputs.rejected"), true
}

// verdictsKey begins the key of a verdicts' topic. A routing without such topics has none, as before there were any.
const verdictsKey = "outputs.verdicts" + of

// Verdicts returns the topic to which a routing has the verdicts on the documents of a source topic written. It is
// empty if there is none.
func Verdicts(text []byte, source string) string {
	if _, _, _, written := Outputs(text, source); !written {
		return ""
	}
	v := read(text)
	if !slices.Contains(v.sources(), source) {
		return v.templates().VerdictsTopic(source)
	}
	return v.text(verdictsKey + source)
}

// Dry says that a routing forwards nothing.
func Dry(text []byte) bool { return read(text)[keyDry] == true }

// of separates an output's key from its source topic.
const of = " of "

// Diff compares our routing with the journal's and returns a line for each difference. A source topic that only one
// side reads is one difference, not four. A group's duty is no matter of configurations.
func Diff(here, journal []byte) []string {
	here, journal = Plain(here), Plain(journal)
	both := func(topic string) bool {
		if topic == sink.Placeholder {
			return Pattern(here) != "" && Pattern(journal) != ""
		}
		return slices.Contains(Sources(here), topic) && slices.Contains(Sources(journal), topic)
	}
	return slices.DeleteFunc(setting.Diff(here, journal), func(line string) bool {
		key, _, _ := strings.Cut(line, ":")
		_, topic, output := strings.Cut(key, of)
		return output && !both(topic)
	})
}

// Sources returns the topics that a routing names. It may read others by its pattern.
func Sources(text []byte) []string { return read(text).sources() }

// Latest says that a routing has topics that are new read from their ends.
func Latest(text []byte) bool { return read(text).text("source.start") == "latest" }
