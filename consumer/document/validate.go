package document

import (
	"slices"
	"strconv"

	"github.com/unecho/unecho/index/setting"
)

// ValidateSources reports every mistake in the sources of a service, by whole keys.
func ValidateSources(sources []Source) (wrong []setting.Mistake) {
	if len(sources) == 0 {
		return []setting.Mistake{{
			Key: "sources.topics", Problem: "is missing",
			Remedy: "name the topics of documents, as in sources: [{topics: [news], format: json, text: [title, body]}]",
		}}
	}
	if len(sources) > maxSources {
		return []setting.Mistake{setting.Wrong("sources", strconv.Itoa(len(sources))+" sources", "out of range",
			"write "+strconv.Itoa(maxSources)+" at most")}
	}
	seen := map[string]int{}
	for i := range sources {
		s := &sources[i]
		wrong = append(wrong, setting.Under(KeyOf(i), slices.Concat(s.wrongTopics(i, seen), s.wrongPattern(), s.Reading.Validate()))...)
	}
	return append(wrong, unasked(sources)...)
}

// longestTopic is Kafka's bound on the name of a topic, in characters.
const longestTopic = 249

// IsTopic says whether a topic can have a name.
func IsTopic(name string) bool {
	return name != "" && len(name) <= longestTopic && setting.IsName(name) && name != "." && name != ".."
}

// wrongTopics checks the names of source number i. seen are those of the sources before it.
func (s *Source) wrongTopics(i int, seen map[string]int) (wrong []setting.Mistake) {
	if len(s.Topics) == 0 && s.Pattern == "" {
		return []setting.Mistake{{
			Key: "topics", Problem: "is missing",
			Remedy: "name the topics of documents, as in topics: [news], or write a pattern that they fit",
		}}
	}
	for _, t := range s.Topics {
		switch other, twice := seen[t]; {
		case twice && other == i:
			wrong = append(wrong, setting.Wrong("topics", t, "is named twice", "name each topic once"))
		case twice:
			wrong = append(wrong, setting.Wrong("topics", t, "is named in "+KeyOf(other)+", too", "name each topic in one source"))
		case !IsTopic(t):
			wrong = append(wrong, setting.Wrong("topics", t, "is not a name of a topic",
				"write whole names (pattern is for patterns), and commas between them: sources.topics=news,blogs on a command "+
					"line, [news, blogs] in a file"))
		}
		seen[t] = i
	}
	return wrong
}

func (s *Source) wrongPattern() []setting.Mistake {
	if _, err := s.Compile(); err != nil {
		return []setting.Mistake{setting.Wrong("pattern", s.Pattern, "is not a regular expression: "+err.Error(),
			`write one of a topic's whole name, as in 'news\..+'; a dot that is meant as one needs a backslash`)}
	}
	if s.Pattern != "" && len(s.Topics) == 0 && s.Start == "latest" {
		return []setting.Mistake{setting.Wrong("start", s.Start,
			"has no effect on topics that come by a pattern: they begin at their start",
			"write earliest, or name the topics that are to begin at their end in topics")}
	}
	return nil
}

// unasked reports a registry that no source asks.
func unasked(sources []Source) []setting.Mistake {
	for i := range sources {
		if p := &sources[i].Reading; !p.Registry.Set() || p.asks() {
			return nil
		}
	}
	return []setting.Mistake{setting.Wrong("schema_registry.urls", sources[0].Reading.Registry.URLs[0],
		"has no effect: no source has values that name their schemas",
		"remove it, or set format and schema.framing of a source, for example avro and confluent")}
}
