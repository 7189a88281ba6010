package synthetic

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// article is a text in sentences.
type article struct {
	title     string
	sentences []string
}

// text joins the sentences, three to a paragraph.
func (a article) text() string {
	size := 0
	for _, sentence := range a.sentences {
		size += len(sentence) + len("\n\n")
	}
	var b strings.Builder
	b.Grow(size)
	for i, sentence := range a.sentences {
		switch {
		case i == 0:
		case i%3 == 0:
			b.WriteString("\n\n")
		default:
			b.WriteByte(' ')
		}
		b.WriteString(sentence)
	}
	return b.String()
}

// scribe writes the sentences of one article. It keeps the topic, the cast, and who was already named.
type scribe struct {
	lexicon    *lexicon
	random     *rand.Rand
	topic      vocabulary
	org, place string
	cast       map[string]person
}

type person struct {
	first, last string
	named       bool
}

func newScribe(l *lexicon, random *rand.Rand) *scribe {
	s := &scribe{lexicon: l, random: random}
	s.topic = l.topics[random.IntN(len(l.topics))]
	s.place = s.town()
	s.org = s.place + " " + s.pick(s.topic.bodies)
	if s.random.IntN(3) == 0 {
		s.org = s.surname() + " " + s.pick(s.topic.bodies)
	}
	s.cast = map[string]person{}
	for _, part := range []string{"person", "other"} {
		s.cast[part] = person{first: s.pick(l.words["first"]), last: s.surname()}
	}
	return s
}

func (s *scribe) pick(words []string) string { return words[s.random.IntN(len(words))] }

func (s *scribe) town() string {
	return s.pick(s.lexicon.words["placehead"]) + s.pick(s.lexicon.words["placetail"])
}

func (s *scribe) surname() string {
	return s.pick(s.lexicon.words["head"]) + s.pick(s.lexicon.words["tail"])
}

// original writes an article of some 150 to 300 words.
func (s *scribe) original() article {
	a := article{sentences: []string{s.sentence(s.pick(s.lexicon.openings))}}
	a.sentences = append(a.sentences, s.sample(11+s.random.IntN(8))...)
	a.sentences = append(a.sentences, s.sentence(s.pick(s.lexicon.closings)))
	a.title = s.sentence(s.pick(s.lexicon.titles))
	return a
}

// sample writes n sentences, no two of one pattern.
func (s *scribe) sample(n int) []string {
	out := make([]string, 0, n)
	for _, i := range s.random.Perm(len(s.lexicon.middles))[:n] {
		out = append(out, s.sentence(s.lexicon.middles[i]))
	}
	return out
}

// bulletin writes a bulletin of any form, followed by some sentences of its own.
func (s *scribe) bulletin() article {
	f := s.lexicon.forms[s.random.IntN(len(s.lexicon.forms))]
	a := article{title: s.sentence(f.title)}
	for _, pattern := range f.sentences {
		a.sentences = append(a.sentences, s.sentence(pattern))
	}
	a.sentences = append(a.sentences, s.sample(3+s.random.IntN(5))...)
	return a
}

// sentence fills the slots of a pattern. A slot "a" becomes "an" before a vowel sound.
func (s *scribe) sentence(pattern string) string {
	var b strings.Builder
	b.Grow(2 * len(pattern))
	article := false
	for {
		before, rest, more := strings.Cut(pattern, "{")
		b.WriteString(before)
		if !more {
			break
		}
		slot, after, _ := strings.Cut(rest, "}")
		pattern = after
		if slot == "a" {
			article = true
			pattern = strings.TrimPrefix(after, " ")
			continue
		}
		word := s.fill(slot)
		if article {
			b.WriteString(indefinite(word))
			article = false
		}
		b.WriteString(word)
	}
	return capital(b.String())
}

func indefinite(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) && !strings.HasPrefix(word, "uni") && !strings.HasPrefix(word, "us") {
		return "an "
	}
	return "a "
}

// capital makes the first letter a capital, behind a quotation mark if there is one.
func capital(text string) string {
	i := 0
	if text[0] == '"' {
		i = 1
	}
	return text[:i] + strings.ToUpper(text[i:i+1]) + text[i+1:]
}

func (s *scribe) fill(slot string) string {
	switch slot {
	case "thing":
		return s.pick(s.topic.things)
	case "things":
		return plural(s.pick(s.topic.things))
	case "role":
		return s.pick(s.topic.roles)
	case "roles":
		return plural(s.pick(s.topic.roles))
	case "org":
		return s.org
	case "place":
		return s.place
	case "town":
		return s.town()
	case "surname":
		return s.surname()
	case "person", "other":
		return s.name(slot)
	}
	if words, ok := s.lexicon.words[slot]; ok {
		return s.pick(words)
	}
	return s.number(slot)
}

// name returns the whole name at first, then the surname.
func (s *scribe) name(part string) string {
	p := s.cast[part]
	if p.named {
		return p.last
	}
	p.named = true
	s.cast[part] = p
	return p.first + " " + p.last
}

func (s *scribe) number(slot string) string {
	n := s.random.IntN
	switch slot {
	case "numeral":
		return strconv.Itoa(n(10))
	case "figure":
		if n(2) == 0 {
			return strconv.Itoa(2 + n(97))
		}
		return fmt.Sprintf("%d.%d", 1+n(99), n(10))
	case "year":
		return strconv.Itoa(1950 + n(75))
	case "pct":
		return strconv.Itoa(2+n(97)) + " per cent"
	case "count":
		return fmt.Sprintf("%d,%03d", 1+n(60), n(1000))
	case "money":
		return fmt.Sprintf("%d.%d million dollars", 1+n(90), n(10))
	case "clock":
		return fmt.Sprintf("%02d:%02d", n(24), n(60))
	}
	panic("a pattern with an unknown slot: " + slot) // the patterns are constants, and a test fills them all
}
