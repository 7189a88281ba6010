package sim

import (
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// verb is a person's command at work: a takeover, or the end of one.
type verb struct {
	protocol.Handover
	of           *Succession
	older, newer *World
	first        *protocol.Side // what was looked at first
	places       []protocol.Standpoint
	ends         []protocol.Boundary
}

func newVerb(older, newer *World, back bool) *verb {
	return &verb{of: newer.heir.of, older: older, newer: newer, Handover: protocol.Handover{Back: back}}
}

func (v *verb) side(w *World) protocol.Side {
	return protocol.Side{Group: w.heir.name, Journal: w.heir.journal, Number: w.inForce().Number, Duty: w.duty()}
}

// step does what the handover asks for, or a part of it. It returns false when the command has ended.
func (v *verb) step() bool {
	s := v.of
	switch v.Next() {
	case protocol.StepLook:
		v.look()
	case protocol.StepDrain:
		v.drain()
	case protocol.StepFence:
		v.fence()
	case protocol.StepOffsets:
		v.offsets()
	case protocol.StepRetire, protocol.StepRestore:
		v.append(v.older, v.Old.Number+1)
	case protocol.StepActivate, protocol.StepVoid:
		v.append(v.newer, v.New.Number+1)
	case protocol.StepDone:
		s.act("over")
		return false
	case protocol.StepRefused:
		s.act("refused")
		return false
	}
	return true
}

// look looks at one journal, and then at the other one. Mostly it waits for the answer to an append first.
func (v *verb) look() {
	routes := func(f flight) bool {
		_, is := f.record.(*index.Routing)
		return is
	}
	switch {
	case (slices.ContainsFunc(v.older.air, routes) || slices.ContainsFunc(v.newer.air, routes)) && !v.of.chance(1, 6):
	case v.first == nil:
		s := v.side(v.newer)
		v.first = &s
	default:
		newer := *v.first
		v.first = nil
		v.Looked(newer, v.side(v.older))
	}
}

func (v *verb) append(to *World, number uint32) {
	to.post(to.routing(number, "", v.Duty()), nil, to.late())
	v.of.act("declared as " + v.Next().String())
	v.Appended()
}

// drain waits until nobody is in the old group.
func (v *verb) drain() {
	if v.of.bugs.Early && v.ends == nil {
		v.ends = []protocol.Boundary{v.older.heir.end()}
	}
	if v.older.groupEmpty() {
		v.Drained()
	}
}

// fence aborts what sessions of the old group have left open.
func (v *verb) fence() {
	if v.of.faults && v.of.chance(1, 8) { // a broker is lost
		v.of.act("fencing failed")
		v.Failed()
		return
	}
	for _, t := range slices.Clone(v.older.open) {
		if !t.decided {
			v.older.close(t)
			v.of.act("fenced")
		}
	}
	v.Fenced()
}

// offsets reads those of the new group, then those of the old one when they are stable, and then where its unique
// documents end.
func (v *verb) offsets() {
	if v.places == nil {
		for _, p := range v.newer.parts {
			v.places = append(v.places, protocol.Standpoint{Topic: topicName, Source: p.source, New: p.committed.offset})
		}
		return
	}
	if protocol.RequireStable && slices.ContainsFunc(v.older.parts, v.older.unstable) {
		return
	}
	for i, p := range v.older.parts {
		at := &v.places[i]
		at.Begin, at.End, at.Old = p.begin, p.visible, p.committed.offset
	}
	if !v.of.bugs.Early || v.ends == nil {
		v.ends = []protocol.Boundary{v.older.heir.end()}
	}
	v.Offsets(v.places, v.ends)
	v.places = nil
}
