package synthetic

import (
	"slices"
	"strings"
)

// lexicon holds all words, split once.
type lexicon struct {
	words  map[string][]string // by the slot they stand for
	topics []vocabulary
	forms  []formSentences
	kin    kin

	openings, middles, closings, titles, outlets []string
}

// vocabulary is a topic, split.
type vocabulary struct {
	things, roles, bodies []string
	kin                   kin
}

// kin finds the words that may stand for a word, for edits: those of its kind. A word of two kinds has none.
type kin map[string][]string

func (k kin) add(words []string) {
	for _, word := range words {
		if _, known := k[word]; known {
			k[word] = nil
			continue
		}
		k[word] = words
	}
}

// formSentences is a form, split.
type formSentences struct {
	title     string
	sentences []string
}

func newLexicon() *lexicon {
	lines := func(text string) []string { return strings.Split(text, "\n") }
	l := &lexicon{
		words: map[string][]string{
			"adj": strings.Fields(adjectives), "verb": strings.Fields(verbs), "adv": strings.Fields(adverbs),
			"said": strings.Fields(saying), "day": strings.Fields(weekdays), "month": strings.Fields(months),
			"num": strings.Fields(numbers), "weather": strings.Fields(weather), "compass": strings.Fields(compass),
			"level": strings.Fields(levels), "moves": strings.Fields(moves),
			"unit":    {"day", "week", "month", "household", "visitor", "head", "mile", "tonne", "acre", "term"},
			"ordinal": {"second", "third", "fourth", "fifth", "sixth", "seventh"},
		},
		kin:      kin{},
		openings: lines(openings), middles: lines(middles), closings: lines(closings), titles: lines(titles),
		outlets: lines(outlets),
	}
	for _, t := range topics() {
		v := vocabulary{things: distinct(t.things), roles: distinct(t.roles), bodies: t.bodies, kin: kin{}}
		for _, words := range [][]string{v.things, v.roles, plurals(v.things), plurals(v.roles)} {
			v.kin.add(words)
		}
		l.topics = append(l.topics, v)
	}
	for _, slot := range []string{"adj", "verb", "adv", "said", "day", "month", "num"} {
		l.kin.add(l.words[slot])
	}
	for _, f := range forms() {
		l.forms = append(l.forms, formSentences{title: f.title, sentences: lines(f.sentences)})
	}
	l.words["first"], l.words["head"] = strings.Fields(firstNames), strings.Fields(surnameHeads)
	l.words["tail"] = strings.Fields(surnameTails)
	l.words["placehead"], l.words["placetail"] = strings.Fields(townHeads), strings.Fields(townTails)
	return l
}

// distinct splits and leaves out what stands twice.
func distinct(text string) []string {
	words := strings.Fields(text)
	slices.Sort(words)
	return slices.Compact(words)
}

// kinOf returns the words that may stand for a word in an article of the topic.
func (l *lexicon) kinOf(v vocabulary, word string) []string {
	general, particular := l.kin[word], v.kin[word]
	switch {
	case len(general) == 0:
		return particular
	case len(particular) == 0:
		return general
	}
	return nil // it could be either
}

func plurals(words []string) []string {
	out := make([]string, 0, len(words))
	for _, word := range words {
		out = append(out, plural(word))
	}
	return out
}

func plural(noun string) string {
	last := noun[len(noun)-1]
	switch {
	case strings.HasSuffix(noun, "man"):
		return strings.TrimSuffix(noun, "man") + "men"
	case last == 'y' && !strings.ContainsRune("aeiou", rune(noun[len(noun)-2])):
		return strings.TrimSuffix(noun, "y") + "ies"
	case last == 's', last == 'x', strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	}
	return noun + "s"
}
