package audit

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Where the routing was changed, earlier documents went to other topics, or nowhere. An audit looks into the outputs of
// one configuration, and what another routing sent elsewhere is not due there. The routing of whoever commits a
// document decides where it goes, and the journal does not tell who committed it. So documents that were judged, and
// not announced as committed, when the routing changed may be in the outputs of either routing.

// target holds the topics that are written for a source topic. The zero target means nowhere.
type target struct{ unique, duplicate, rejected, verdicts, clusters string }

// A side is a topic that has records about documents besides their outputs.
type side func(*target) *string

func ofVerdicts(t *target) *string { return &t.verdicts }
func ofClusters(t *target) *string { return &t.clusters }

// same says whether documents go to the same topics, wherever their verdicts and clusters go.
func (t target) same(as target) bool {
	t.verdicts, as.verdicts, t.clusters, as.clusters = "", "", "", ""
	return t == as
}

// stretch is a part of a pass whose documents may have gone to a target. Two stretches overlap where the routing changed
// between them.
type stretch struct {
	span
	goes target
}

// anywhere returns the target of documents whose routing is not known.
func anywhere() target { return target{unique: "?"} }

// reroute follows the journal's routings as members do.
func (a *audit) reroute(rec *index.Routing) error {
	ours := a.twin.Ours() && rec.Fingerprint == a.twin.Fingerprint()
	if !ours || rec.Number == 0 || a.routed > 0 && rec.Number != a.routed+1 {
		return nil
	}
	a.routed = rec.Number
	a.begins(rec.Text)
	for source, s := range a.bySource {
		state, _ := a.twin.Partition(source)
		s.turn(targetOf(rec.Text, s.Topic), state.Base)
	}
	return a.onDuty(rec.Text)
}

func targetOf(text []byte, topic string) (to target) {
	to.unique, to.duplicate, to.rejected, _ = routing.Outputs(text, topic)
	to.verdicts, to.clusters = routing.Verdicts(text, topic), routing.Clusters(text, topic)
	return to
}

// audited returns the target in whose topics the audit looks.
func (a *audit) audited(topic string) (to target) {
	to.unique, to.duplicate, to.rejected = a.in.Outputs(topic)
	to.verdicts, to.clusters = a.in.Verdicts(topic), a.in.Clusters(topic)
	return to
}

// turn notes that the routing changed. All documents below base were committed before the change.
func (s *stream) turn(to target, base int64) {
	s.named = append(s.named, to)
	if s.goes == to {
		return
	}
	s.goes = to
	if len(s.passes) == 0 {
		return
	}
	p := &s.passes[len(s.passes)-1]
	p.went[len(p.went)-1].to = max(base, s.judged)
	p.went = append(p.went, stretch{span{base, math.MaxInt64}, to})
	s.turned = true
}

// announced notes the base of a run. The first base after a change tells how far documents went by the routing before.
// Verdicts cannot tell that, because a rejected document has none.
func (s *stream) announced(base int64) {
	if s.turned {
		p := &s.passes[len(s.passes)-1]
		before := &p.went[len(p.went)-2]
		before.to, s.turned = max(before.to, base), false
	}
}

func (s *stream) begin(p epoch) {
	p.went = []stretch{{span{0, math.MaxInt64}, s.goes}}
	s.passes = append(s.passes, p)
	s.judged, s.turned = p.start, false
}

// begunBefore is for a pass that began before a snapshot. If routings changed before the snapshot, nobody knows when,
// so the pass's documents below base may have gone anywhere.
func (s *stream) begunBefore(routed uint32, base int64) {
	if p := &s.passes[len(s.passes)-1]; routed > 1 {
		p.went = slices.Insert(p.went, 0, stretch{span{0, max(base, s.judged)}, anywhere()})
	}
}

// aim finds the journal's target for the audited outputs: the target with these names or, if no routing has them, the
// target in force last, of which they are taken for copies. So it does with the topics of verdicts and clusters.
func (s *stream) aim(audited target) {
	s.aimed = audited
	if len(s.named) == 0 || s.goes == (target{}) {
		return
	}
	if !slices.ContainsFunc(s.named, audited.same) {
		s.aimed = s.goes
	}
	for _, of := range []side{ofVerdicts, ofClusters} {
		name := *of(&audited)
		*of(&s.aimed) = name
		there := func(t target) bool { return *of(&t) == name }
		if name != "" && !slices.ContainsFunc(s.named, there) {
			*of(&s.aimed) = *of(&s.goes)
		}
	}
}

// sentAway says whether documents at an offset of pass i may have gone elsewhere.
func (s *stream) sentAway(i int, offset int64) bool {
	return slices.ContainsFunc(s.passes[i].went, func(w stretch) bool {
		return w.has(offset) && !w.goes.same(s.aimed)
	})
}

// unsure says that a trimmed journal does not tell whether pass i owed an output of an offset: nothing is known of the
// pass, or its routing is not.
func (s *stream) unsure(i int, offset int64) bool {
	return s.passes[i].unknown() || s.reached(i, offset) && slices.ContainsFunc(s.passes[i].went, func(w stretch) bool {
		return w.has(offset) && w.goes == anywhere()
	})
}

// wentElsewhere says whether a pass would owe an output of an offset under another routing.
func (s *stream) wentElsewhere(offset int64) bool {
	for i := range s.passes {
		if s.reached(i, offset) && s.sentAway(i, offset) {
			return true
		}
	}
	return false
}

// Where groups take over from each other, each owes a part of the offsets, and the outputs may have those of all. An
// audit of one group leaves out what is another one's. What this group forwarded last before it retired is known from
// its journal to some extent only: what it had committed when it retired, at least. Offsets from there to where it
// takes over again are left out as well. As long as it has not, the group's committed offset is where the other one
// begins.

// duty follows what the group's routings have it do with a partition.
func (s *stream) duty(d *protocol.Duty, source entry.Source) {
	open := len(s.aways) > 0 && s.aways[len(s.aways)-1].to == math.MaxInt64
	begins, begun := d.Begins(source), d.OtherJournal != "" || len(d.From) > 0
	if s.retired = d.Kind == protocol.Retired; s.retired && len(s.aways) == 0 && begins > 0 {
		s.aways = append(s.aways, span{0, begins}) // it had taken over before the journal's trimmed beginning
	}
	switch {
	case s.retired:
		s.aways = append(s.aways, span{max(begins, d.Saw(source)), math.MaxInt64})
	case d.Kind == protocol.Fills && !open:
		s.aways = append(s.aways, span{0, math.MaxInt64})
	case d.Kind == protocol.Forwards && begun && open: // it takes over, or its window is filled
		s.aways[len(s.aways)-1].to = begins
	case d.Kind == protocol.Forwards && begun:
		s.aways = append(s.aways, span{0, begins})
	case d.Kind == protocol.Forwards && open: // what took over was abandoned
		s.aways = s.aways[:len(s.aways)-1]
	}
}

// isAway says that an offset is another group's, or filled the window. Committed is what this group has committed.
func (s *stream) isAway(offset, committed int64) bool {
	for i, w := range s.aways {
		if s.retired && i == len(s.aways)-1 && committed < math.MaxInt64 {
			w.from = max(w.from, committed)
		}
		if w.has(offset) {
			return true
		}
	}
	return false
}

// onDuty notes what a routing has the group do.
func (a *audit) onDuty(text []byte) error {
	d, err := routing.DutyOf(text)
	if err != nil {
		return fmt.Errorf("the journal's routing: %w", err)
	}
	for source, s := range a.bySource {
		s.duty(&d, source)
	}
	return nil
}

// Where a journal replaced an earlier one, because of other settings or because the earlier one was lost, the outputs
// hold the decisions of both. The decisions of the earlier one are not known, so its outputs are only compared with
// their source records, and are counted separately.

// began is the offset at which this journal's first pass starts. The journal may have decided nothing below it. If a
// snapshot does not tell where that pass started, began is the base at the snapshot.
func (s *stream) began() int64 {
	for i := range s.passes {
		switch p := &s.passes[i]; {
		case i == 0 && !p.unknown():
			return p.start
		case !p.unknown():
			return p.open
		}
	}
	return math.MaxInt64
}

// setAside removes those outputs from a group that name another index or other settings, where this journal may have
// decided nothing.
func (a *audit) setAside(g *group) {
	if g.offset >= g.stream.began() {
		return
	}
	ours, all := a.common(""), len(g.claims)
	theirs := func(c *claim) bool {
		return foreign(c.headers, ours, headerAlgorithm) || foreign(c.headers, ours, headerIndex)
	}
	g.claims, g.tales = slices.DeleteFunc(g.claims, theirs), slices.DeleteFunc(g.tales, theirs)
	a.earlier(g, all-len(g.claims))
}

// foreign says whether a header is present and has another value than ours.
func foreign(got, ours headers, name string) bool {
	value, there := got[name]
	return there && !bytes.Equal(value, ours[name])
}

// earlier counts outputs of a source record that an earlier journal decided.
func (a *audit) earlier(g *group, outputs int) {
	g.early += outputs
	a.report.Earlier += outputs
}
