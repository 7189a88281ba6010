package consumer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// Loops reports every topic that would be used in two roles. A source that is also an output or the journal would be
// read again without end. A journal that takes documents is no journal any more. Several sources may share one topic
// for outputs of one kind. Outputs of two kinds may not share one, because its readers could not tell what they read,
// unless both are given one name. Loops also reports names that no topic can have, as a source's with the suffix of an
// output may be.
// The keys of mistakes are complete.
func Loops(p Params, sources []document.Source, out sink.Params) []setting.Mistake {
	l := loops{roles: map[string]string{}, said: map[string]bool{}}
	for _, m := range out.Validate() {
		l.said["outputs."+m.Key] = true
	}
	for i := range sources {
		for _, name := range sources[i].Topics {
			l.take(document.KeyOf(i)+ofTopics, name, "a source")
		}
	}
	own := journal.Params{}.Name(p.Group)
	l.take("group", own, "the journal")
	if p.Succeeds != "" && p.Succeeds != p.Group {
		l.take("succeeds", p.Followed(), "the journal of the group that is followed")
	}
	for _, name := range document.Named(sources) {
		unique, duplicate, rejected := out.Topics(name)
		l.take("outputs.unique.topic", unique, "the unique documents")
		if duplicate != "" && !out.Together() {
			l.take("outputs.duplicate.topic", duplicate, "the duplicates")
		}
		l.take("outputs.rejected.topic", rejected, "the rejected documents")
		if verdicts := out.VerdictsTopic(name); verdicts != "" {
			l.take("outputs.verdicts.topic", verdicts, "the verdicts")
		}
		if clusters := out.ClustersTopic(name); clusters != "" {
			l.take("outputs.clusters.topic", clusters, "the clusters")
		}
	}
	l.patterned(own, sources, out)
	return l.found
}

// ofTopics ends the keys of the topics that sources name.
const ofTopics = ".topics"

// patterned reports sources that are named, and journals, that a topic which a pattern brings would forward to. A
// pattern itself makes no loop: what has the name of an output is never read by it.
func (l *loops) patterned(journal string, sources []document.Source, out sink.Params) {
	choice, err := routing.Choose(sources, out)
	if err != nil || !choice.Open() { // the setting's own mistake
		return
	}
	for i := range sources {
		for _, name := range sources[i].Topics {
			if role, of := choice.Output(name); role != "" && !l.said["outputs."+role+".topic"] {
				l.wrong(document.KeyOf(i)+ofTopics, name, "is named as a source, and is outputs."+role+of+": it would be read again, without end",
					"take it out of topics, or give that output another name")
			}
		}
	}
	if role, of := choice.Output(journal); role != "" && !l.said["outputs."+role+".topic"] {
		l.wrong("group", journal, "is its journal, and is outputs."+role+of+": no member could read it any more",
			"give the group another name, or that output")
	}
}

// wrong reports a mistake, unless it is about a topic that was reported under the same key.
func (l *loops) wrong(key, topic, problem, remedy string) {
	if !slices.ContainsFunc(l.found, func(m setting.Mistake) bool { return m.Key == key && m.Value == topic }) {
		l.found = append(l.found, setting.Wrong(key, topic, problem, remedy))
	}
}

// loops gives each topic one role. The first role that is taken for it counts.
type loops struct {
	roles map[string]string // by topic
	said  map[string]bool   // keys that already have a mistake
	found []setting.Mistake
}

func (l *loops) take(key, topic, role string) {
	if l.said[key] {
		return
	}
	had, taken := l.roles[topic]
	if !taken {
		l.roles[topic] = role
		l.named(key, topic)
		return
	}
	// Several sources may share an output. Another package reports names that are empty or occur twice.
	if topic == "" || had == role {
		return
	}
	m := setting.Wrong(key, topic, fmt.Sprintf("is %s, and is to take %s", had, role), "name another topic")
	switch {
	case key == "group" || key == "succeeds":
		m.Problem = "is its journal, and " + had + " as well"
		m.Remedy = "take it out of sources.topics, or name another group"
	case had == "a source":
		m.Problem += ": they would be read again, without end"
		m.Remedy += ", or take it out of sources.topics"
	case had == "the journal":
		m.Problem += ": no member could read it any more"
	}
	if !slices.Contains(l.found, m) {
		l.found = append(l.found, m)
	}
}

// longestTopic is Kafka's bound on the name of a topic, in characters.
const longestTopic = 249

// named reports a name that no topic can have. A source's own name is reported elsewhere.
func (l *loops) named(key, topic string) {
	if !strings.HasSuffix(key, ofTopics) && len(topic) > longestTopic {
		l.wrong(key, topic, fmt.Sprintf("has %d characters, and Kafka's topic names have %d at most", len(topic), longestTopic),
			"write a shorter name in "+key)
	}
}
