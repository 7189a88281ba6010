package routing

import (
	"encoding/json"
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
	values := map[string]any{"source.start": from.Start, "sink.dry_run": out.DryRun}
	if values[keyTopics] = topics; from.Pattern != "" {
		values[keyTopics], values[keyPattern] = append([]string{}, topics...), from.Pattern
		topics = append(topics, sink.Placeholder)
	}
	for _, source := range topics {
		unique, duplicate, rejected := out.Topics(source)
		values["sink.unique"+of+source], values["sink.duplicate"+of+source], values["sink.rejected"+of+source] = unique,
			duplicate, rejected
		if verdicts := out.VerdictsTopic(source); verdicts != "" {
			values[verdictsKey+source] = verdicts
		}
	}
	return encode(values)
}

// The keys that say which topics are read.
const (
	keyTopics  = "source.topics"
	keyPattern = "source.pattern"
)

// Pattern returns the pattern of a routing; it is empty if all topics are named.
func Pattern(text []byte) string {
	var values struct {
		Pattern string `json:"source.pattern"`
	}
	if err := json.Unmarshal(text, &values); err != nil {
		return ""
	}
	return values.Pattern
}

// Chosen returns the choice that a routing makes. Others are as for Choose.
func Chosen(text []byte, others ...string) (*Choice, error) {
	return Choose(Source{Topics: Sources(text), Pattern: Pattern(text)}, templates(text), others...)
}

// templates are the outputs of the topics that a pattern brings.
func templates(text []byte) sink.Params {
	values := map[string]any{}
	if err := json.Unmarshal(text, &values); err != nil {
		return sink.Params{}
	}
	name := func(key string) string {
		template, _ := values[key+sink.Placeholder].(string)
		return template
	}
	return sink.Patterned(name("sink.unique"+of), name("sink.duplicate"+of), name("sink.rejected"+of), name(verdictsKey))
}

// Outputs returns the topics to which a routing sends the documents of a source topic. ok is false if it sends them
// nowhere.
func Outputs(text []byte, source string) (unique, duplicate, rejected string, ok bool) {
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil || values["sink.dry_run"] == true || !reads(text, source) {
		return "", "", "", false
	}
	if !slices.Contains(Sources(text), source) {
		unique, duplicate, rejected = templates(text).Topics(source)
		return unique, duplicate, rejected, true
	}
	name := func(key string) string {
		topic, _ := values[key+of+source].(string)
		return topic
	}
	return name("sink.unique"), name("sink.duplicate"), name("sink.rejected"), true
}

// verdictsKey begins the key of a verdicts' topic. A routing without such topics has none, as before there were any.
const verdictsKey = "sink.verdicts" + of

// Verdicts returns the topic to which a routing has the verdicts on the documents of a source topic written. It is
// empty if there is none.
func Verdicts(text []byte, source string) string {
	if _, _, _, written := Outputs(text, source); !written {
		return ""
	}
	if !slices.Contains(Sources(text), source) {
		return templates(text).VerdictsTopic(source)
	}
	topic, _ := decode(text)[verdictsKey+source].(string)
	return topic
}

// Dry says that a routing forwards nothing.
func Dry(text []byte) bool { return decode(text)["sink.dry_run"] == true }

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

func reads(text []byte, topic string) bool {
	c, err := Chosen(text)
	return err == nil && c.Reads(topic)
}

// Sources returns the topics that a routing names. It may read others by its pattern.
func Sources(text []byte) []string {
	var values struct {
		Topics []string `json:"source.topics"`
	}
	if err := json.Unmarshal(text, &values); err != nil {
		return nil
	}
	return values.Topics
}

// Latest says that a routing has topics that are new read from their ends.
func Latest(text []byte) bool {
	var values struct {
		Start string `json:"source.start"`
	}
	return json.Unmarshal(text, &values) == nil && values.Start == "latest"
}
