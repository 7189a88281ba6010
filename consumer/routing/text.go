package routing

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// Text is the canonical text of a routing: what is read, from where on if it is new, and into which topics it goes. Names are
// those in effect, so that a placeholder and what it stands for are equal, and so is any order of the source topics. What only
// permits something once, or says how outputs are created, is no part of it.
func Text(topics []string, start string, out sink.Params) []byte {
	topics = slices.Sorted(slices.Values(topics))
	values := map[string]any{"source.topics": topics, "source.start": start, "sink.dry_run": out.DryRun}
	for _, source := range topics {
		unique, duplicate, rejected := out.Topics(source)
		values["sink.unique"+of+source], values["sink.duplicate"+of+source], values["sink.rejected"+of+source] = unique, duplicate, rejected
	}
	text, err := json.Marshal(values) // its keys are sorted
	if err != nil {
		panic("routing: strings and lists do not encode: " + err.Error()) // a bug of ours
	}
	return text
}

// Outputs are the topics to which a routing sends the documents of a source topic; ok is false if it sends them nowhere.
func Outputs(text []byte, source string) (unique, duplicate, rejected string, ok bool) {
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil || values["sink.dry_run"] == true || !reads(text, source) {
		return "", "", "", false
	}
	name := func(key string) string {
		topic, _ := values[key+of+source].(string)
		return topic
	}
	return name("sink.unique"), name("sink.duplicate"), name("sink.rejected"), true
}

// of stands between an output's key and its source topic.
const of = " of "

// Diff compares our routing with the journal's, a line for each difference. That a source topic is read on one side only is one
// difference, not four.
func Diff(here, journal []byte) []string {
	both := func(topic string) bool { return reads(here, topic) && reads(journal, topic) }
	return slices.DeleteFunc(setting.Diff(here, journal), func(line string) bool {
		key, _, _ := strings.Cut(line, ":")
		_, topic, output := strings.Cut(key, of)
		return output && !both(topic)
	})
}

func reads(text []byte, topic string) bool {
	var values struct {
		Topics []string `json:"source.topics"`
	}
	return json.Unmarshal(text, &values) == nil && slices.Contains(values.Topics, topic)
}
