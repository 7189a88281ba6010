package audit

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The topic of verdicts (outputs.verdicts) must have one record for each output, with the same facts as the
// output's headers. A record of it is read into the headers that it stands for, and the time of the source record.

// timeField holds the time of the source record. It stands for no header.
const timeField = "time"

// sides lists the topics of verdicts, or those of clusters, and remembers them.
func (a *audit) sides(of func(source string) string, all map[string]bool) (topics []string) {
	for _, source := range a.taken() {
		if name := of(source); name != "" && !all[name] {
			all[name] = true
			topics = append(topics, name)
		}
	}
	return topics
}

// noteVerdictRecord notes a record of a topic of verdicts, if the source record that it names may exist.
func (a *audit) noteVerdictRecord(r *kgo.Record) error {
	a.report.Verdicts++
	at := coordinates(r.Topic, r.Partition, r.Offset)
	got := headers{}
	malformed := fieldsOf(r, func(name string, value json.Token) error { return a.field(got, name, value) })
	source := string(got[headerSource])
	p, offset, ok := parse(source)
	s := a.streams[p]
	switch {
	case !ok || s == nil:
		a.report.found(Finding{Invented, quote([]byte(source)), at, "its source is no audited source partition"})
		return nil
	case offset < s.first:
		return nil
	case malformed == nil && string(r.Key) != source:
		malformed = fmt.Errorf("the key is %s, the source %s", quote(r.Key), source)
	case malformed == nil && r.Partition != p.Partition:
		malformed = fmt.Errorf("it stands in partition %d, its document came from %d", r.Partition, p.Partition)
	case malformed == nil && r.Topic != a.in.Verdicts(p.Topic):
		malformed = fmt.Errorf("the verdicts on %s belong to %s", p.Topic, a.in.Verdicts(p.Topic))
	}
	return a.noteClaim(r, s.number, offset, factVerdictRecord, claim{headers: got}, malformed)
}

// fieldsOf reads the object in a record of verdicts or clusters, and hands over each field. It goes on behind one that is
// wrong, and returns the first error.
func fieldsOf(r *kgo.Record, field func(name string, value json.Token) error) (wrong error) {
	from := json.NewDecoder(bytes.NewReader(r.Value))
	from.UseNumber()
	if t, err := from.Token(); err != nil || t != json.Delim('{') {
		return errors.New("the value is no JSON object")
	}
	for from.More() {
		name, err := from.Token()
		if err != nil {
			return fmt.Errorf("the value is no JSON object: %w", err)
		}
		value, err := from.Token()
		if err != nil {
			return fmt.Errorf("the value is no JSON object: %w", err)
		}
		if err := field(fmt.Sprint(name), value); err != nil && wrong == nil {
			wrong = err
		}
	}
	if _, err := from.Token(); err != nil {
		return fmt.Errorf("the value is no JSON object: %w", err)
	}
	if _, err := from.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands behind the JSON object")
	}
	return wrong
}

func (a *audit) field(got headers, name string, value json.Token) error {
	plain, encoded := strings.CutSuffix(name, "_base64")
	header := prefix + strings.ReplaceAll(plain, "_", "-")
	if plain == timeField {
		header = timeField
	}
	text, number := value.(json.Number)
	said, isText := value.(string)
	at := slices.Index(a.known, header)
	switch _, twice := got[header]; {
	case header != timeField && at < 0:
		return fmt.Errorf("there is no field %s", quote([]byte(name)))
	case twice:
		return fmt.Errorf("field %s stands twice", plain)
	case number != (at >= 0 && a.table[at].decimal), !number && !isText:
		return fmt.Errorf("field %s is %v, which is of another type", name, value)
	case number:
		got[header] = []byte(text)
	case encoded:
		bytes, err := base64.StdEncoding.DecodeString(said)
		if err != nil {
			return fmt.Errorf("field %s is no base64", name)
		}
		got[header] = bytes
	default:
		got[header] = []byte(said)
	}
	return nil
}

// sideDue says whether there must be, and whether there may be, a record of a side about the output of pass i. The routing
// of the pass decides.
func (s *stream) sideDue(i int, offset int64, of side) (must, may bool) {
	known := false
	must = true
	for _, w := range s.passes[i].went {
		if !w.has(offset) {
			continue
		}
		known = true
		here := *of(&w.goes) == *of(&s.aimed)
		must = must && here
		may = may || here || w.goes == anywhere()
	}
	return must && known, may || !known
}

// compareVerdicts holds the records of verdicts about a source record against its outputs. Due says that the group has
// committed it: else one of the two may have been written after the audit looked.
func (a *audit) compareVerdicts(g *group, due bool) {
	if g.stream.aimed.verdicts == "" {
		return
	}
	left := a.pairDropped(g, a.pair(g), due)
	if !due {
		return
	}
	for i, c := range g.out {
		if c == nil || g.told[c] != nil {
			continue
		}
		switch must, _ := g.stream.sideDue(i, g.offset, ofVerdicts); {
		case len(left) > 0:
			t := left[0]
			left = left[1:]
			what := cmp.Or(t.malformed, differs(t.headers, a.verdictOf(g, c), "its output in "+c.at()+" says"))
			a.report.found(Finding{Different, g.source, t.at(), what})
		case must:
			a.report.found(Finding{Lost, g.source, "", "its output is in " + c.at() + ", and no verdict in " +
				g.stream.aimed.verdicts})
		}
	}
	if g.offset < g.stream.began() {
		return // an earlier journal decided them
	}
	for _, t := range left {
		a.report.found(Finding{Doubled, g.source, t.at(), "every output has one already"})
	}
}

// pair gives each output that has a pass the record of verdicts that says the same, and returns the other records.
func (a *audit) pair(g *group) (left []*claim) {
	left = g.tales
	g.told = map[*claim]*claim{}
	for i, c := range g.out {
		if c == nil {
			continue
		}
		if _, may := g.stream.sideDue(i, g.offset, ofVerdicts); !may {
			continue
		}
		want := a.verdictOf(g, c)
		at := slices.IndexFunc(left, func(t *claim) bool { return t.malformed == "" && differs(t.headers, want, "") == "" })
		if at < 0 {
			continue
		}
		g.told[c] = left[at]
		if !a.ambiguous(g, i) {
			a.order(g, i, left[at])
		}
		left = slices.Concat(left[:at], left[at+1:])
	}
	return left
}

// verdictOf returns what the record of verdicts about an output says.
func (*audit) verdictOf(g *group, c *claim) headers {
	want := maps.Clone(c.headers)
	if at, inForm := instant(g.was.timestamp); inForm {
		want[timeField] = []byte(at)
	}
	return want
}

// Where duplicates are dropped, they are in no output: that is how it has to be for those that the journal has judged so.
// What it judged before the snapshot may have been one, so that it cannot be called lost. The topic of verdicts has a
// record about each document, also about those that are dropped.

// drops says that pass i has judged a duplicate that is written nowhere.
func (g *group) drops(i int) bool {
	j, judged := g.judged[i]
	return judged && g.stream.aimed.duplicate == "" && g.stream.outputDue(i, g.offset) && !j.verdict.Unique()
}

// mayDrop says that the verdict of pass i is not known, and may have been one of a duplicate that is written nowhere.
func (g *group) mayDrop(i int) bool {
	_, judged := g.judged[i]
	return !judged && g.open(i) && g.stream.aimed.duplicate == "" && g.stream.outputDue(i, g.offset)
}

// due says that pass i must have an output.
func (g *group) due(i int) bool {
	return g.stream.outputDue(i, g.offset) && !g.drops(i) && !g.mayDrop(i)
}

// unsure says that nobody can tell whether pass i owed an output.
func (g *group) unsure(i int) bool { return g.stream.unsure(i, g.offset) || g.mayDrop(i) }

// pairDropped takes the records of verdicts about documents that were dropped, or went elsewhere, from those that are
// left, and reports what is wrong with those on what was dropped. Due is as for compareVerdicts.
func (a *audit) pairDropped(g *group, left []*claim, due bool) []*claim {
	for i, c := range g.out {
		must, may := g.stream.sideDue(i, g.offset, ofVerdicts)
		if c != nil || !may || !g.drops(i) && !g.mayDrop(i) && !g.stream.sentAway(i, g.offset) {
			continue
		}
		what := ""
		at := slices.IndexFunc(left, func(t *claim) bool {
			what = g.notOfDropped(a, i, t)
			return what == ""
		})
		switch {
		case at >= 0:
			left = slices.Concat(left[:at], left[at+1:])
		case !due || !g.drops(i):
		case len(left) > 0:
			a.report.found(Finding{Different, g.source, left[len(left)-1].at(), what})
			left = left[:len(left)-1]
		case must:
			a.report.found(Finding{Lost, g.source, "", "it is a duplicate that was dropped, and no verdict is in " +
				g.stream.aimed.verdicts})
		}
	}
	return left
}

// notOfDropped returns why a record of verdicts is none about the document of pass i, whose output is not here, or "".
func (g *group) notOfDropped(a *audit, i int, t *claim) string {
	if t.malformed != "" {
		return t.malformed
	}
	got := maps.Clone(t.headers)
	at, inForm := instant(g.was.timestamp)
	if said, has := got[timeField]; has != inForm || inForm && string(said) != at {
		return fmt.Sprintf("%s is %s, the timestamp was %s", timeField, quote(said), at)
	}
	delete(got, timeField)
	j, judged := g.judged[i]
	switch away := g.stream.sentAway(i, g.offset); {
	case away && string(got[headerVerdict]) == wordRejected:
		return a.rejection(got, g.source, &j.verdict, judged)
	case away && t.unchecked(judged):
		return a.checkUnchecked(got, g.source)
	case judged:
		return a.unlike(got, g.source, &j.verdict)
	}
	return a.anyVerdict(got, g.source)
}
