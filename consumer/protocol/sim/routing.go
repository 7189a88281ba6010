package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// force is a routing and the journal offset of the record that put it in force.
type force struct {
	at int64
	index.Routes
}

// routed is the hash of a routing; that of none is 0.
func routed(text string) uint64 {
	if text == "" {
		return 0
	}
	return index.Fingerprint([]byte(text))
}

// inForce is the routing in force by the journal.
func (w *World) inForce() index.Routes {
	if n := len(w.routings); n > 0 {
		return w.routings[n-1].Routes
	}
	return index.Routes{}
}

// wanted is the routing that a process starts with: mostly what is in force, or what somebody wants to be. While
// there are faults it may be another, as where a member does not belong.
func (w *World) wanted() string {
	switch now := w.inForce(); {
	case !w.params.Routings:
		return ""
	case w.faults && w.chance(1, 4):
		return w.anyRouting()
	case now.Number > 0:
		return plain(string(now.Text))
	}
	return w.anyRouting()
}

func (w *World) anyRouting() string { return string(rune('a' + w.n(3))) }

// routing is the record of a routing that gives the group a duty. Its text is that of a configuration, and the number of
// the duty.
func (w *World) routing(number uint32, plain string, d protocol.Duty) *index.Routing {
	w.duties = append(w.duties, d)
	text := fmt.Sprintf("%s%s%d", plain, dutyMark, len(w.duties)-1)
	return &index.Routing{Header: w.header(), Routes: index.Routes{Number: number, Text: []byte(text)}}
}

// declare puts a routing in force.
func (w *World) declare(number uint32, plain string, d protocol.Duty) {
	w.land(flight{letter: letter{record: w.routing(number, plain, d)}})
}

const dutyMark = "!"

// plain is what a configuration has of a routing.
func plain(text string) string {
	of, _, _ := strings.Cut(text, dutyMark)
	return of
}

// dutyOf is the duty that a routing gives.
func (w *World) dutyOf(text string) (d protocol.Duty) {
	if _, number, is := strings.Cut(text, dutyMark); is {
		i, err := strconv.Atoi(number)
		if err != nil {
			w.bad("a routing is %q", text)
			return d
		}
		return w.duties[i]
	}
	return d
}

// stepRoute has somebody change the routing, who may have looked a while ago.
func (w *World) stepRoute() bool {
	n := len(w.routings)
	if !w.params.Routings || n == 0 {
		return false
	}
	seen := w.routings[max(0, n-1-w.n(2))]
	text := w.anyRouting() + strings.TrimPrefix(string(seen.Text), plain(string(seen.Text)))
	w.post(&index.Routing{Header: w.header(), Routes: index.Routes{Number: seen.Number + 1, Text: []byte(text)}}, nil, w.late())
	return true
}

// landRouting: the next one counts, whoever is later has lost.
func (w *World) landRouting(at int64, r *index.Routing) {
	if now := w.inForce(); now.Number > 0 && r.Number != now.Number+1 {
		w.act("routing too late")
		return
	}
	w.routings = append(w.routings, force{at, r.Routes})
	w.act("routing changed")
}

// belongs says whether a replica that has caught up may be worked with: where no routing is in force it declares its
// own and goes on reading, where another one is the process ends. A group that is filled is waited for.
func (w *World) belongs(m *member) bool {
	switch now := m.replica.Routes(); {
	case m == w.witness || m.number < 0 || m.replica.Routed() == routed(m.routing):
		return true
	case now.Number == 0:
		if !w.faults || w.chance(1, 2) {
			first := &index.Routing{Header: w.header(), Routes: index.Routes{Number: 1, Text: []byte(m.routing)}}
			w.post(first, nil, w.late())
		}
	case plain(string(now.Text)) == m.routing && w.dutyOf(string(now.Text)).Kind != protocol.Retired:
		if d := w.dutyOf(string(now.Text)); d.Kind == protocol.Forwards && d.Filled(m.replica) {
			m.routing = string(now.Text)
			return true
		}
		w.act("waited for a fill")
	case w.bugs.Returns:
		m.routing = string(now.Text)
		return true
	default:
		w.act("refused for its routing")
		w.endMember(m)
	}
	return false
}

// endMember ends a process that has found another routing in force.
func (w *World) endMember(m *member) {
	if w.members[m.number] == m {
		w.members[m.number] = nil
	}
	w.kill(m)
}

// misrouted says that a member at work has applied another routing than its own, on which its follower ends it: a
// moment later, in which its sessions still look.
func (w *World) misrouted(m *member) bool {
	return m.ready && m.number >= 0 && m.replica.Routed() != routed(m.routing)
}

// checkRouting: no document goes by a routing that was over when it was judged, or never was in force.
func (w *World) checkRouting(t *transaction, g *group) {
	if !w.params.Routings {
		return
	}
	last := -1
	for i := range w.routings {
		if string(w.routings[i].Text) == t.routing {
			last = i
		}
	}
	if last < 0 {
		w.bad("%s goes by the routing %s, which was never in force", g.part.name(g.documents[0].Entry.Offset), t.routing)
		return
	}
	if last == len(w.routings)-1 {
		return
	}
	over := w.routings[last+1].at
	judgedLater := func(o int64) bool {
		v := g.part.given(o, g.Epoch)
		return v != nil && v.verdict.Position.Offset > over
	}
	for i := range g.documents {
		unheard := g.Bypasses && !g.documents[i].Judged // of what the journal says
		if o := g.documents[i].Entry.Offset; !unheard && judgedLater(o) {
			w.bad("%s goes by the routing %s, which was over at j%d, before it was judged", g.part.name(o), t.routing, over)
		}
	}
}

// checkRoutes: a replica that has applied all has the routing in force.
func (w *World) checkRoutes(m *member) {
	if got, want := m.replica.Routes(), w.inForce(); got.Number != want.Number || !slices.Equal(got.Text, want.Text) {
		w.bad("member %d has routing %d (%s), by the journal it is %d (%s)", m.number, got.Number, got.Text, want.Number, want.Text)
	}
}
