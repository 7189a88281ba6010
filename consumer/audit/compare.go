package audit

import (
	"fmt"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"
)

// track is what must keep its order: the outputs of one source partition in one output partition.
type track struct{ source, output place }

// mark is how far a track got.
type mark struct {
	pass   int
	offset int64
}

// output holds an output record against its source record and the journal. They come in order of offset in a partition.
func (a *audit) output(r *kgo.Record) error {
	at := coordinates(r.Topic, r.Partition, r.Offset)
	got, malformed := headersOn(r)
	verdict := string(got[headerVerdict])
	a.count(r.Topic, verdict)
	source := string(got[headerSource])
	p, offset, ok := parse(source)
	s := a.streams[p]
	switch {
	case !ok || s == nil:
		a.report.found(Finding{Invented, quote([]byte(source)), at, headerSource + " names no audited source partition"})
		return nil
	case offset < s.first:
		a.report.Unchecked++
		return nil
	}
	rec, ok := s.find(offset)
	if !ok {
		a.report.found(Finding{Invented, source, at, "there is no such source record"})
		return nil
	}
	if what := altered(&rec.facts, r, got); what != "" {
		a.report.found(Finding{Altered, source, at, what})
	}
	t := track{s.place, place{r.Topic, r.Partition}}
	switch i, what := a.account(s, rec, t, source, got); {
	case i >= 0 && malformed == nil:
		a.order(t, mark{i, offset}, source, at)
	case i >= 0:
		a.report.found(Finding{Different, source, at, malformed.Error()})
	default:
		a.misfits = append(a.misfits, misfit{s, rec, source, at, what})
	}
	return nil
}

// count counts an output record by its topic, or by its verdict where the topic takes several.
func (a *audit) count(topic, verdict string) {
	r := a.roles[topic]
	only := func(role, others bool, word string) bool { return role && (!others || verdict == word) }
	switch {
	case only(r.unique, r.duplicate || r.rejected, unique):
		a.report.Unique++
	case only(r.duplicate, r.unique || r.rejected, duplicate):
		a.report.Duplicate++
	case only(r.rejected, r.unique || r.duplicate, rejected):
		a.report.Rejected++
	}
}

// account settles an output record against a pass that it fits: the one its track is in, a later one, or an earlier one at
// last. If there is none, the number is negative, and the text says how the output differs from what was expected.
func (a *audit) account(s *stream, rec *record, t track, source string, got headers) (int, string) {
	why := ""
	for k := range s.passes {
		i := (a.tracks[t].pass + k) % len(s.passes)
		if rec.out[i] || rec.offset < s.passes[i].start {
			continue
		}
		what := a.fits(s, s.passes[i], rec.offset, t.output.topic, source, got)
		if what == "" {
			rec.out[i] = true
			return i, ""
		}
		if why == "" {
			why = what
		}
	}
	return -1, why
}

// fits says what is wrong with an output record of a pass, or nothing.
func (a *audit) fits(s *stream, p *pass, offset int64, topic, source string, got headers) string {
	v, judged := p.verdicts[offset]
	toUnique, toDuplicate, toRejected := a.in.Outputs(s.topic)
	want := map[string]string{unique: toUnique, duplicate: toDuplicate, rejected: toRejected}
	verdict := string(got[headerVerdict])
	switch {
	case want[verdict] == "":
		return fmt.Sprintf("%s is %s, which is no verdict", headerVerdict, quote([]byte(verdict)))
	case want[verdict] != topic:
		return fmt.Sprintf("%s is %s, which belongs to %s", headerVerdict, verdict, want[verdict])
	case verdict == rejected:
		return a.rejection(got, source, &v, judged)
	case !judged:
		return verdict + " without a verdict in the journal"
	case v.Unique() && v.Forgotten:
		return verdict + ", the journal has forgotten it: it belongs to " + toRejected
	}
	return difference(got, a.promised(source, &v))
}

// order follows a track.
func (a *audit) order(t track, now mark, source, at string) {
	last, ok := a.tracks[t]
	if ok && (now.pass < last.pass || now.pass == last.pass && now.offset < last.offset) {
		a.report.found(Finding{Misordered, source, at, fmt.Sprintf("after %s/%d/%d", t.source.topic, t.source.partition, last.offset)})
		return
	}
	a.tracks[t] = now
}

// altered says what forwarding has changed, or nothing. Only a rejected record may lack its value, key or headers, and then
// says how long they were.
func altered(was *facts, r *kgo.Record, got headers) string {
	is := factsOf(r)
	for _, part := range []struct {
		name, withheld string
		was, is, none  digest
	}{
		{"key", withheldKey, was.key, is.key, digestOf(nil)},
		{"value", withheldValue, was.value, is.value, digestOf(nil)},
		{"headers", withheldHeaders, was.headers, is.headers, headersOf(&kgo.Record{})},
	} {
		length, withheld := got[part.withheld]
		switch {
		case !withheld && part.was != part.is:
			return fmt.Sprintf("the %s: %d bytes, now %d", part.name, part.was.bytes, part.is.bytes)
		case withheld && part.is != part.none:
			return fmt.Sprintf("%s is there, and so is the %s", part.withheld, part.name)
		case withheld && string(length) != strconv.Itoa(part.was.bytes):
			return fmt.Sprintf("%s is %s, the %s had %d bytes", part.withheld, quote(length), part.name, part.was.bytes)
		}
	}
	if was.timestamp != is.timestamp {
		return fmt.Sprintf("the timestamp: %s, now %s", instant(was.timestamp), instant(is.timestamp))
	}
	return ""
}
