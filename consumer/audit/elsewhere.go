package audit

import (
	"math"
	"slices"

	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
)

// Where the routing was changed, earlier documents went to other topics, or nowhere. An audit looks into the outputs of
// one configuration, and what another routing sent elsewhere is not due there. The routing of whoever commits a
// document decides where it goes, and the journal does not tell who committed it. So documents that were judged, and
// not announced as committed, when the routing changed may be in the outputs of either routing.

// target holds the topics that are written for a source topic. The zero target means nowhere.
type target struct{ unique, duplicate, rejected, verdicts string }

// same says whether documents go to the same topics, wherever their verdicts go.
func (t target) same(as target) bool {
	t.verdicts, as.verdicts = "", ""
	return t == as
}

// stretch is a part of a pass, the offsets [from, to), whose documents may have gone to a target. Two stretches overlap
// where the routing changed between them.
type stretch struct {
	from, to int64
	goes     target
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
	to.verdicts = routing.Verdicts(text, topic)
	return to
}

// audited returns the target in whose topics the audit looks.
func (a *audit) audited(topic string) (to target) {
	to.unique, to.duplicate, to.rejected = a.in.Outputs(topic)
	to.verdicts = a.verdictsOf(topic)
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
	p.went = append(p.went, stretch{base, math.MaxInt64, to})
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

// begin begins a pass.
func (s *stream) begin(p epoch) {
	p.went = []stretch{{0, math.MaxInt64, s.goes}}
	s.passes = append(s.passes, p)
	s.judged, s.turned = p.start, false
}

// begunBefore is for a pass that began before a snapshot. If routings changed before the snapshot, nobody knows when,
// so the pass's documents below base may have gone anywhere.
func (s *stream) begunBefore(routed uint32, base int64) {
	if p := &s.passes[len(s.passes)-1]; routed > 1 {
		p.went = slices.Insert(p.went, 0, stretch{0, max(base, s.judged), anywhere()})
	}
}

// aim finds the journal's target for the audited outputs: the target with these names or, if no routing has them, the
// target in force last, of which they are taken for copies. So it does with the topic of verdicts.
func (s *stream) aim(audited target) {
	s.aimed = audited
	if len(s.named) == 0 || s.goes == (target{}) {
		return
	}
	if !slices.ContainsFunc(s.named, audited.same) {
		s.aimed = s.goes
	}
	s.aimed.verdicts = audited.verdicts
	there := func(t target) bool { return t.verdicts == audited.verdicts }
	if audited.verdicts != "" && !slices.ContainsFunc(s.named, there) {
		s.aimed.verdicts = s.goes.verdicts
	}
}

// sentAway says whether documents at an offset of pass i may have gone elsewhere.
func (s *stream) sentAway(i int, offset int64) bool {
	return slices.ContainsFunc(s.passes[i].went, func(w stretch) bool {
		return offset >= w.from && offset < w.to && !w.goes.same(s.aimed)
	})
}

// unsure says that a trimmed journal does not tell whether pass i owed an output of an offset: nothing is known of the
// pass, or its routing is not.
func (s *stream) unsure(i int, offset int64) bool {
	return s.passes[i].unknown() || s.reached(i, offset) && slices.ContainsFunc(s.passes[i].went, func(w stretch) bool {
		return offset >= w.from && offset < w.to && w.goes == anywhere()
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
