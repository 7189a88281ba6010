package preview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// EnoughUnmet documents tell that conditions do not fit where none meets them. Where 5 % do, 100 documents all miss them with
// 0.6 %, and 19 with 38 % (decision 83).
const EnoughUnmet = 100

// Trouble says that a configuration makes of documents what is seldom meant.
type Trouble struct {
	Grave       bool // none is judged by its text, and there are enough to tell
	Why, Remedy string
}

// Trouble returns the worst that the preview shows; nil: nothing.
func (p *Preview) Trouble() *Trouble {
	rejected, checked := p.rejected(), p.Read-p.Unchecked.Count
	absent := p.absent()
	switch {
	case p.Read == 0:
		return nil
	case checked == 0:
		return p.unmetByAll(cmp.Or(absent, "correct "+p.key+".when"))
	case rejected == checked:
		return &Trouble{Grave: true, Why: "no document would be judged: all that are checked go to the rejected topic", Remedy: cmp.Or(absent, p.remedy())}
	case 2*rejected >= checked:
		return &Trouble{Why: "most documents would go to the rejected topic", Remedy: cmp.Or(absent, p.remedy())}
	case absent != "":
		return &Trouble{Why: "a field that is looked up is in no document", Remedy: absent}
	case p.Blank == p.Judged.Count:
		return &Trouble{Why: "no document has a text: all go to the unique topic", Remedy: "correct " + p.keys("format", "text")}
	case p.objects == p.Read:
		return &Trouble{
			Grave: true,
			Why:   "all are JSON objects, and no " + p.key + ".format says so: their braces, names, ids and times are compared, too",
			Remedy: "set " + p.key + ".format: json, and " + p.key + ".text to those that hold the text; the documents have " + p.has() +
				". If the whole value is meant, write " + p.key + ".format: raw",
		}
	}
	return nil
}

// unmetByAll is the trouble where no document meets the conditions. A session stops by the same rule.
func (p *Preview) unmetByAll(remedy string) *Trouble {
	none, of := "no document meets "+p.key+".when: they go to the unique topic unchecked", "; of one "+p.unmet
	if p.Read < EnoughUnmet {
		return &Trouble{Why: fmt.Sprintf("%s (a new group stops where %d are there and none does)%s", none, EnoughUnmet, of), Remedy: remedy}
	}
	return &Trouble{
		Grave: true, Why: none + ", and a new group stops before that" + of,
		Remedy: remedy + "; where these documents are to be " + Unchecked(p.Topic),
	}
}

// Unchecked says how to allow that all first documents of a topic meet no condition.
func Unchecked(topic string) string {
	return "forwarded unchecked, start once with --accept-unchecked " + topic
}

// remedy says what to look at where documents are rejected.
func (p *Preview) remedy() string {
	switch p.Rejected[0].Reason {
	case sink.InvalidJSON, sink.Undecodable, sink.UnknownSchema:
		return "correct " + p.keys("format", "schema")
	case sink.MissingField, sink.WrongType:
		return "correct " + p.keys("text", "id", "scope")
	case sink.TooLarge:
		return "raise the limit that the message names"
	case sink.InvalidEncoding:
		return "take invalid_encoding out of " + p.key + ".reject, or have UTF-8 produced"
	case sink.Empty:
		return "correct " + p.key + ".text, or take empty out of " + p.key + ".reject"
	case sink.BadTimestamp, sink.OutputRefused:
	}
	return "correct what produces them"
}

// keys are those of settings of the source.
func (p *Preview) keys(names ...string) string {
	for i := range names {
		names[i] = p.key + "." + names[i]
	}
	return setting.OneOf(names)
}

// absent names what is looked up and is in no document, and what was probably meant. It is empty where all are there, or where
// nothing is known of the fields that documents have.
func (p *Preview) absent() string {
	if len(p.names) == 0 || len(p.texts) == 0 {
		return ""
	}
	var missing []string
	looked := make([]document.Lookup, 0, len(p.texts)+len(p.others))
	for _, field := range p.texts {
		looked = append(looked, document.Lookup{Field: field, Setting: "text"})
	}
	for _, l := range append(looked, p.others...) {
		at, err := document.ParsePath(l.Field)
		if err != nil || slices.Contains(p.names, at[0]) {
			continue
		}
		what := fmt.Sprintf("correct %s (%s.%s)", l.Field, p.key, l.Setting)
		if meant, ok := setting.Nearest(at[0], p.names); ok {
			what += ", perhaps to " + document.PathTo(meant)
		}
		missing = append(missing, what)
	}
	if len(missing) == 0 {
		return ""
	}
	return strings.Join(missing, "; ") + "; the documents have " + p.has()
}

// Names of fields come from documents, so what is shown of them is bounded.
const (
	mostNames = 20
	longName  = 40 // characters
)

// has lists the fields that the documents have.
func (p *Preview) has() string {
	shown := make([]string, 0, mostNames)
	for _, name := range p.names[:min(len(p.names), mostNames)] {
		runes := []rune(name)
		for i, r := range runes {
			if !unicode.IsPrint(r) {
				runes[i] = '?'
			}
		}
		shown = append(shown, string(runes[:min(len(runes), longName)]))
	}
	if more := len(p.names) - len(shown); more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), more)
	}
	return strings.Join(shown, ", ")
}

// String says in one line what becomes of the documents, with an example of each kind.
func (p *Preview) String() string {
	if p.Read == 0 {
		return p.Topic + " holds no documents yet"
	}
	var parts []string
	if p.Judged.Count > 0 {
		parts = append(parts, fmt.Sprintf("%d judged, as %s (%s)", p.Judged.Count, p.Judged.Example, p.judged()))
	}
	for _, r := range p.Rejected {
		parts = append(parts, fmt.Sprintf("%d rejected (%s), as %s: %s", r.Count, r.Reason, r.Example, r.Detail))
	}
	if p.Unchecked.Count > 0 {
		parts = append(parts, fmt.Sprintf("%d unchecked by %s.when, as %s", p.Unchecked.Count, p.key, p.Unchecked.Example))
	}
	return fmt.Sprintf("the newest of %s: %s", p.Topic, strings.Join(parts, "; "))
}

// judged describes the documents that are judged.
func (p *Preview) judged() string {
	text := fmt.Sprintf("%d characters, ", p.Longest)
	if p.Shortest < p.Longest {
		text = fmt.Sprintf("%d to %s", p.Shortest, text)
	}
	text += several(p.IDs, "id") + ", " + several(p.Scopes, "scope")
	if p.Blank > 0 {
		text += fmt.Sprintf(", %d without a text", p.Blank)
	}
	if len(p.Missing) > 0 {
		text += ", " + p.missing()
	}
	return text
}

// missing lists which fields of the text how many documents lack.
func (p *Preview) missing() string {
	var parts []string
	for _, m := range p.Missing {
		parts = append(parts, fmt.Sprintf("%d without %s", m.Count, m.Field))
	}
	return strings.Join(parts, ", ")
}

func several(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// MarshalZerologObject implements zerolog.LogObjectMarshaler.
func (p *Preview) MarshalZerologObject(e *zerolog.Event) {
	e.Str("topic", p.Topic).Int("documents", p.Read).Int("judged", p.Judged.Count).Int("rejected", p.rejected()).
		Int("unchecked", p.Unchecked.Count)
	if p.Judged.Count > 0 {
		e.Int("shortest", p.Shortest).Int("longest", p.Longest).Int("ids", p.IDs).Int("scopes", p.Scopes)
	}
	if len(p.Missing) > 0 {
		e.Str("missing", p.missing())
	}
	if len(p.Rejected) > 0 {
		r := &p.Rejected[0]
		e.Str("reason", string(r.Reason)).Str("detail", r.Detail).Str("example", r.Example)
	}
	if t := p.Trouble(); t != nil {
		e.Str("why", t.Why).Str("remedy", t.Remedy)
	}
}
