package routing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// Text returns the canonical text of a routing: which topics each source reads, from where on if a topic is new, and into
// which topics its documents go. Names are those in effect, so that a placeholder equals what it stands for. The order of the
// topics of a source does not matter. Settings that only permit something once, or say how outputs are created, are no part
// of it.
//
// A pattern stands there as it is, and the outputs of the topics that it brings with their placeholders. So a topic that
// comes is no other routing.
func Text(from []document.Source, out sink.Params) []byte {
	values := map[string]any{keyDry: out.DryRun}
	topics := document.Named(from)
	for i := range from {
		key := document.KeyOf(i)
		values[key+ofTopics], values[key+ofStart] = append([]string{}, slices.Sorted(slices.Values(from[i].Topics))...), from[i].Start
		if from[i].Pattern != "" {
			values[key+ofPattern] = from[i].Pattern
		}
	}
	if document.Open(from) {
		topics = append(topics, sink.Placeholder)
	}
	for _, source := range topics {
		unique, duplicate, rejected := out.Topics(source)
		values["outputs.unique"+of+source], values["outputs.duplicate"+of+source], values["outputs.rejected"+of+source] = unique,
			duplicate, rejected
		if verdicts := out.VerdictsTopic(source); verdicts != "" { // without one no key, so that older routings stay equal
			values["outputs.verdicts"+of+source] = verdicts
		}
		if clusters := out.ClustersTopic(source); clusters != "" {
			values["outputs.clusters"+of+source] = clusters
		}
	}
	return encode(values)
}

// keyDry says that nothing is written.
const keyDry = "--dry-run" // of unecho run

// These end the keys of a source, as in sources[0].topics.
const (
	ofTopics  = ".topics"
	ofPattern = ".pattern"
	ofStart   = ".start"
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

// sources are those that are read, without how their documents are read.
func (v values) sources() (all []document.Source) {
	for i := 0; ; i++ {
		key := document.KeyOf(i)
		list, there := v[key+ofTopics].([]any)
		if !there {
			return all
		}
		s := document.Source{Pattern: v.text(key + ofPattern), Start: v.text(key + ofStart)}
		for _, name := range list {
			s.Topics = append(s.Topics, fmt.Sprint(name))
		}
		all = append(all, s)
	}
}

func (v values) choice(others ...string) (*Choice, error) {
	return Choose(v.sources(), v.outputs(sink.Placeholder), others...)
}

// outputs are those of a source topic that is named; sink.Placeholder stands for the topics that a pattern brings.
func (v values) outputs(source string) sink.Params {
	name := func(key string) string { return v.text(key + of + source) }
	return sink.Outputs(name("outputs.unique"), name("outputs.duplicate"), name("outputs.rejected"), name("outputs.verdicts"),
		name("outputs.clusters"))
}

// Patterns returns the patterns of a routing, in their order; there are none if all topics are named.
func Patterns(text []byte) (all []string) {
	for _, s := range read(text).sources() {
		if s.Pattern != "" {
			all = append(all, s.Pattern)
		}
	}
	return all
}

// Chosen returns the choice that a routing makes. Others are as for Choose.
func Chosen(text []byte, others ...string) (*Choice, error) { return read(text).choice(others...) }

// Outputs returns the topics to which a routing sends the documents of a source topic. Duplicate is empty if duplicates
// are dropped. ok is false if it sends them nowhere.
func Outputs(text []byte, source string) (unique, duplicate, rejected string, ok bool) {
	to, ok := outputsOf(text, source)
	unique, duplicate, rejected = to.Topics(source)
	return unique, duplicate, rejected, ok
}

// outputsOf are the outputs of a source topic. ok is false if its documents are sent nowhere: then there are none.
func outputsOf(text []byte, source string) (to sink.Params, ok bool) {
	v := read(text)
	c, err := v.choice()
	switch {
	case err != nil || !c.Reads(source) || v[keyDry] == true:
		return sink.Params{}, false
	case c.Names(source):
		return v.outputs(source), true
	}
	return v.outputs(sink.Placeholder), true
}

// Verdicts returns the topic to which a routing has the verdicts on the documents of a source topic written. It is
// empty if there is none.
func Verdicts(text []byte, source string) string {
	to, _ := outputsOf(text, source)
	return to.VerdictsTopic(source)
}

// Clusters returns the topic to which a routing has the clusters of a source topic's copies written. It is empty if there
// is none.
func Clusters(text []byte, source string) string {
	to, _ := outputsOf(text, source)
	return to.ClustersTopic(source)
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
			return len(Patterns(here)) > 0 && len(Patterns(journal)) > 0
		}
		return slices.Contains(Sources(here), topic) && slices.Contains(Sources(journal), topic)
	}
	return slices.DeleteFunc(setting.Diff(here, journal), func(line string) bool {
		key, _, _ := strings.Cut(line, ":")
		_, topic, output := strings.Cut(key, of)
		return output && !both(topic)
	})
}

// Sources returns the topics that a routing names, sorted. It may read others by its patterns.
func Sources(text []byte) []string {
	return slices.Sorted(slices.Values(document.Named(read(text).sources())))
}

// Latest returns the topics of a routing that are read from their ends where they are new.
func Latest(text []byte) (topics []string) {
	for _, s := range read(text).sources() {
		if s.Start == "latest" {
			topics = append(topics, s.Topics...)
		}
	}
	return topics
}
