package audit

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index/entry"
)

// output notes an output record if the source record that it names may exist.
func (a *audit) output(r *kgo.Record) error {
	if a.verdicts[r.Topic] {
		return a.noteVerdictRecord(r)
	}
	if a.clusters.topics[r.Topic] {
		return a.clusters.note(r)
	}
	at := coordinates(r.Topic, r.Partition, r.Offset)
	got, malformed := headersOn(r)
	a.count(r.Topic, string(got[headerVerdict]))
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
	return a.noteClaim(r, s.number, offset, factOutput, claim{carries: factsOf(r), headers: got}, malformed)
}

// noteClaim notes what a record says of a source record. Malformed is what is wrong with its form; nil if nothing is.
func (a *audit) noteClaim(r *kgo.Record, source uint32, offset int64, kind byte, c claim, malformed error) error {
	if malformed != nil {
		c.malformed = malformed.Error()
	}
	a.scratch = c.append(a.scratch[:0], a.known, a.common(string(c.headers[headerSource])))
	order := claimOrder(a.numbers[entry.Name(r.Topic, r.Partition)], r.Offset)
	return a.sorter.add(keyOf(source, offset, kind, order), a.scratch)
}

// count counts an output record by its topic, or by its verdict where the topic takes several.
func (a *audit) count(topic, verdict string) {
	r := a.roles[topic]
	only := func(role, others bool, word string) bool { return role && (!others || verdict == word) }
	switch {
	case only(r.unique, r.duplicate || r.rejected, wordUnique):
		a.report.Unique++
	case only(r.duplicate, r.unique || r.rejected, wordDuplicate):
		a.report.Duplicate++
	case only(r.rejected, r.unique || r.duplicate, wordRejected):
		a.report.Rejected++
	}
}

// fits returns what is wrong with an output record of a pass, or "".
func (a *audit) fits(g *group, i int, c *claim) string {
	j, judged := g.judged[i]
	v := &j.verdict
	toUnique, toDuplicate, toRejected := a.in.Outputs(g.stream.Topic)
	want := map[string]string{wordUnique: toUnique, wordDuplicate: toDuplicate, wordRejected: toRejected}
	verdict := string(c.headers[headerVerdict])
	switch {
	case verdict == wordDuplicate && toDuplicate == "":
		return fmt.Sprintf("%s is %s, and duplicates are dropped", headerVerdict, verdict)
	case want[verdict] == "":
		return fmt.Sprintf("%s is %s, which is no verdict", headerVerdict, quote([]byte(verdict)))
	case want[verdict] != c.output.Topic:
		return fmt.Sprintf("%s is %s, which belongs to %s", headerVerdict, verdict, want[verdict])
	case verdict == wordRejected:
		return cmp.Or(a.rejection(c.headers, g.source, v, judged), timely(c.headers, &g.was))
	case c.unchecked(judged):
		return a.checkUnchecked(c.headers, g.source)
	case !judged && g.open(i):
		return a.anyVerdict(c.headers, g.source)
	case !judged:
		return verdict + " without a verdict in the journal"
	case v.Unique() && v.Forgotten:
		return verdict + ", the journal has forgotten it: it belongs to " + toRejected
	}
	return a.unlike(c.headers, g.source, v)
}

// altered returns what forwarding has changed, or "". Only a rejected record may lack its value, key or headers, and it
// then says how long they were. It may also have another timestamp, and then says which was its own.
func altered(was, is *facts, got headers) string {
	for _, part := range []struct {
		name, withheld string
		was, is, none  digest
	}{
		{"key", headerKeyBytes, was.key, is.key, digestOf(nil)},
		{"value", headerValueBytes, was.value, is.value, digestOf(nil)},
		{"headers", headerHeaderBytes, was.headers, is.headers, headersOf(&kgo.Record{})},
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
	switch own, retimed := got[headerTimestamp]; {
	case retimed && string(own) != strconv.FormatInt(was.timestamp, 10):
		return fmt.Sprintf("%s is %s, the timestamp was %d", headerTimestamp, quote(own), was.timestamp)
	case !retimed && was.timestamp != is.timestamp:
		before, _ := instant(was.timestamp)
		after, _ := instant(is.timestamp)
		return fmt.Sprintf("the timestamp: %s, now %s", before, after)
	}
	return ""
}

// track is a sequence that must keep its order: the outputs of one source partition in one output partition.
type track struct{ source, output entry.PartitionName }

// reach is how far a pass got in a track, in offsets of the output.
type reach struct {
	began       bool
	first, last int64
	source      int64 // offset of the source record whose output is the last one
}

// order checks the position of the output accounted to pass i, or of the record of verdicts about that. It must stand after the outputs of earlier source
// records in the same pass and in earlier passes, and before those in later passes.
func (a *audit) order(g *group, i int, c *claim) {
	t := track{g.stream.PartitionName, c.output}
	all := a.tracks[t]
	if all == nil {
		all = make([]reach, len(g.stream.passes))
		a.tracks[t] = all
	}
	what := ""
	for j := range all {
		switch r := &all[j]; {
		case !r.began || what != "":
		case j <= i && c.offset < r.last:
			what = "before " + coordinates(t.source.Topic, t.source.Partition, r.source)
		case j > i && c.offset > r.first:
			what = fmt.Sprintf("after outputs of pass %d, and belongs to pass %d", j+1, i+1)
		}
	}
	if what != "" {
		a.report.found(Finding{Misordered, g.source, c.at(), what})
	}
	r := &all[i]
	if !r.began {
		*r = reach{began: true, first: c.offset, last: c.offset, source: g.offset}
	}
	r.first = min(r.first, c.offset)
	if c.offset >= r.last {
		r.last, r.source = c.offset, g.offset
	}
}
