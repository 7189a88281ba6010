package audit

import (
	"cmp"
	"slices"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/wire"
)

// group is all that is known of one source record.
type group struct {
	stream *stream
	offset int64
	source string // its coordinates
	there  bool   // the source topic holds the record
	was    facts
	judged map[int]judgement // by pass
	claims []*claim
	out    []*claim          // the output accounted to each pass; nil: none yet
	tales  []*claim          // the records of verdicts
	told   map[*claim]*claim // the record of verdicts about an output
	copied []*claim          // the records of clusters
	early  int               // outputs that an earlier journal decided
}

// mostTogether is the number of outputs of one source record that are compared with its passes. Every further output is
// counted as one too many.
const mostTogether = 1000

// open says whether the verdict of pass i is unknown.
func (g *group) open(i int) bool { return g.offset < g.stream.passes[i].open }

// lacks says whether pass i has no output yet and may have one.
func (g *group) lacks(i int) bool { return g.out[i] == nil && g.offset >= g.stream.passes[i].start }

// compare visits the facts, which are sorted by source record, and reckons up each record.
func (a *audit) compare(owed topic.Range) error {
	for _, s := range a.sources {
		s.aim(a.audited(s.Topic))
	}
	g, seen := &group{}, int64(0) // source records
	err := a.sorter.each(func(k *key, fact []byte) error {
		if s := a.sources[k.partition()]; g.stream != s || g.offset != k.offset() {
			a.reckon(g, owed)
			if g.stream != s {
				a.clusters.close(g.stream)
			}
			g = &group{stream: s, offset: k.offset(), source: coordinates(s.Topic, s.Partition, k.offset())}
			if seen++; seen%stride == 0 {
				if err := a.progress(StageCompare, min(seen, a.read), a.read); err != nil {
					return err
				}
			}
		}
		return a.take(g, k, fact)
	})
	if err == nil {
		a.reckon(g, owed)
		a.clusters.close(g.stream)
	}
	return err
}

func (a *audit) take(g *group, k *key, fact []byte) error {
	rd := wire.NewReader(fact)
	switch k.kind() {
	case factSource:
		g.there, g.was = true, readFacts(&rd)
	case factVerdict:
		if g.judged == nil {
			g.judged = map[int]judgement{}
		}
		j := readJudgement(&rd)
		g.judged[j.pass] = j
	case factOutput, factVerdictRecord, factClusterRecord:
		number, offset := claimedAt(k.order())
		c := readClaim(&rd, a.known, a.common(g.source))
		c.output, c.offset = a.places[number], offset
		into, has := &g.claims, "every pass has one already"
		switch k.kind() {
		case factVerdictRecord:
			into, has = &g.tales, "every output has one already"
		case factClusterRecord:
			into, has = &g.copied, "every copy has one already"
		}
		if len(*into) == mostTogether {
			a.report.found(Finding{Doubled, g.source, c.at(), has})
			return nil
		}
		*into = append(*into, &c)
	}
	if rd.Short() {
		return errFact
	}
	return nil
}

func (c *claim) at() string { return coordinates(c.output.Topic, c.output.Partition, c.offset) }

// reckon accounts the outputs of a source record to the passes. It reports what is wrong with them, and which are
// missing.
func (a *audit) reckon(g *group, owed topic.Range) {
	if g.stream == nil {
		return
	}
	a.clusters.setAside(g)
	if !g.there {
		for _, c := range slices.Concat(g.claims, g.tales, g.copied) {
			a.report.found(Finding{Invented, g.source, c.at(), "there is no such source record"})
		}
		return
	}
	if g.stream.isAway(g.offset, owed[g.stream.PartitionName].To) {
		a.report.Elsewhere++
		return
	}
	g.out = make([]*claim, len(g.stream.passes))
	for _, c := range g.claims {
		if what := altered(&g.was, &c.carries, c.headers); what != "" {
			a.report.found(Finding{Altered, g.source, c.at(), what})
		}
	}
	a.setAside(g)
	misfits := a.account(g)
	for i, c := range g.out {
		if c == nil {
			continue
		}
		if c.bypassed() {
			a.report.Bypassed++
		}
		if c.retimed() {
			a.report.Retimed++
		}
		switch {
		case c.malformed != "":
			a.report.found(Finding{Different, g.source, c.at(), c.malformed})
		case len(misfits) > 0 && len(g.out) > 1: // whose each of them is does not show
		case !a.ambiguous(g, i):
			a.order(g, i, c)
		}
	}
	a.assignMisfits(g, misfits)
	due := g.offset < owed[g.stream.PartitionName].To
	a.compareVerdicts(g, due)
	a.clusters.compare(g, due)
	if !due {
		a.report.Pending++
		return
	}
	a.lacking(g)
}

// account gives each pass an output that fits it, as far as there are enough. Passes that must have one come first, and
// among those the ones whose verdict is known, because no other output fits them. It returns the outputs that are left.
func (a *audit) account(g *group) (misfits []*claim) {
	left := g.claims
	if g.offset < g.stream.began() {
		slices.Reverse(left) // an earlier journal's outputs came first
	}
	for _, owes := range []bool{true, false} {
		for _, open := range []bool{false, true} {
			for i := range g.out {
				if g.lacks(i) && g.due(i) == owes && g.open(i) == open {
					left = a.give(g, i, left)
				}
			}
		}
	}
	a.straighten(g)
	return left
}

// give accounts the first fitting output to pass i and returns the other outputs.
func (a *audit) give(g *group, i int, left []*claim) []*claim {
	for n, c := range left {
		if a.fits(g, i, c) == "" {
			g.out[i] = c
			return append(append([]*claim(nil), left[:n]...), left[n+1:]...)
		}
	}
	return left
}

// straighten exchanges two outputs of the same track if each fits the other's pass and they stand in the wrong order.
func (a *audit) straighten(g *group) {
	for i, c := range g.out {
		for j := i + 1; j < len(g.out) && c != nil; j++ {
			d := g.out[j]
			if d != nil && d.output == c.output && d.offset < c.offset && a.fits(g, i, d) == "" && a.fits(g, j, c) == "" {
				g.out[i], g.out[j] = d, c
				c = d
			}
		}
	}
}

// ambiguous says whether the output accounted to pass i may belong to another pass. Either neither pass must have an
// output, and there is one for both. Or the two passes may have each other's, and these stand in different partitions,
// so that their order does not tell whose they are.
func (a *audit) ambiguous(g *group, i int) bool {
	c := g.out[i]
	for j, d := range g.out {
		switch {
		case d == nil && (g.due(i) || !g.lacks(j)):
		case d != nil && (d.output == c.output || a.fits(g, i, d) != ""):
		case a.fits(g, j, c) == "":
			return true
		}
	}
	return false
}

// assignMisfits accounts each output that fits nothing to a pass that lacks one, and reports it as different. If no
// pass lacks one, the output is one too many.
func (a *audit) assignMisfits(g *group, misfits []*claim) {
	reached := false
	for i := range g.stream.passes {
		reached = reached || g.offset >= g.stream.passes[i].start
	}
	for _, c := range misfits {
		switch i := g.lacking(); {
		case !reached, i < 0 && g.offset < g.stream.began():
			a.earlier(g, 1)
		case i < 0:
			a.report.found(Finding{Doubled, g.source, c.at(), "every pass has one already"})
		default:
			a.report.found(Finding{Different, g.source, c.at(), cmp.Or(c.malformed, a.fits(g, i, c))})
			g.out[i] = c
		}
	}
}

// lacking returns the pass to which a misfit is accounted: one that lacks an output, preferably one that must have it;
// -1 if there is none.
func (g *group) lacking() int {
	other := -1
	for i := range g.out {
		switch {
		case !g.lacks(i):
		case g.due(i):
			return i
		case other < 0:
			other = i
		}
	}
	return other
}

// lacking reports each pass that lacks an output of a record. A partition without a pass has forwarded nothing.
func (a *audit) lacking(g *group) {
	if len(g.stream.passes) == 0 && g.early > 0 {
		return
	}
	if len(g.stream.passes) == 0 {
		a.report.Records++
		a.report.found(Finding{Lost, g.source, "", "the journal never began its partition"})
		return
	}
	due, known, may, dropped := false, false, false, false
	for i, c := range g.out {
		owes, unsure := g.due(i), g.unsure(i)
		may = may || unsure
		if g.drops(i) {
			due, known, dropped = due || c != nil, true, dropped || c == nil
			continue
		}
		if !owes && (!unsure || c == nil) {
			continue
		}
		_, judged := g.judged[i]
		due, known = true, known || judged || !g.open(i)
		if c == nil {
			a.report.found(Finding{Lost, g.source, "", "in no output; the journal " + g.decided(i)})
		}
	}
	switch {
	case due && !known:
		a.report.Records++
		a.report.unjudged(g.stream.PartitionName, g.offset)
	case due:
		a.report.Records++
	case dropped:
		a.report.Records++
		a.report.Dropped++
	case g.came(), g.early > 0:
	case may:
		a.report.Absent++
		a.report.unjudged(g.stream.PartitionName, g.offset)
	case g.stream.wentElsewhere(g.offset):
		a.report.Elsewhere++
	default:
		a.skipped(g)
	}
}

func (g *group) came() bool {
	return slices.ContainsFunc(g.out, func(c *claim) bool { return c != nil })
}

// decided returns what pass i decided, in words.
func (g *group) decided(i int) string {
	j, judged := g.judged[i]
	v := &j.verdict
	switch {
	case !judged && g.open(i):
		return "judged it before the snapshot"
	case !judged:
		return "has no verdict"
	case v.Unique() && v.Forgotten:
		return "has forgotten it"
	case v.Unique():
		return "says " + wordUnique
	}
	return "says " + wordDuplicate
}
