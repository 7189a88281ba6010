package sim

import (
	"fmt"
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Bugs are planted in a succession, where the order of what the service does around package protocol matters.
type Bugs struct {
	Returns bool // a member of the old group that comes back does not look at the routing
	Early   bool // the ends of unique documents are read before the old group is fenced
}

// Succession is a world of groups that read one topic: the first, two that may take over from it, and groups of earlier
// names with journals of their own, which may take over in turn. Each is a World, and writes to a topic of unique
// documents, which may be the same for all. The verbs of people are killed and come late, at any step.
type Succession struct {
	choices
	bugs   Bugs
	params Params
	groups []*World
	topics []*part // of unique documents
	verbs  []*verb
	faults bool
	late   bool // nothing is filled before a group is to forward
	steps  int
	trace  []string
	acted  map[string]int
	failed string
}

// heir is a World as a group of a succession.
type heir struct {
	of      *Succession
	name    string
	journal string // its incarnation
	follows *World
	earlier *World // of that name, with another journal; nil: there was none
	unique  *part
}

// NewSuccession makes a world from a seed.
func NewSuccession(seed uint64, bugs Bugs) *Succession {
	s := &Succession{choices: random(seed), bugs: bugs, faults: true, acted: map[string]int{}}
	s.params = Params{
		Members: 2, Sessions: 1, Partitions: 1 + s.n(2), Documents: 3 + s.n(10), Contents: 2 + s.n(5), Poll: 4, Entries: 3,
		Gaps: s.n(2) == 0, Snapshots: s.n(2) == 0, KeepAll: s.n(3) == 0, Feeds: 1 + s.n(4), Queued: 1 + s.n(400), MostHeld: 1,
	}
	shared := s.n(3) == 0
	s.late = s.n(4) == 0
	for i, name := range []string{"a", "b", "c"} {
		if i == 0 || !shared {
			s.topics = append(s.topics, &part{source: entry.Source{Topic: [16]byte{byte(oldTopic + 1 + i)}}})
		}
		h := &heir{of: s, name: name, journal: name + "1", unique: s.topics[min(i, len(s.topics)-1)]}
		if i > 0 {
			h.follows = s.groups[0]
		}
		s.join(h)
	}
	return s
}

// successionSteps are those with faults.
const successionSteps = 3000

// join has a group begin, under the duty that it has first.
func (s *Succession) join(h *heir) {
	p := s.params
	if h.follows != nil {
		p.Fills = 1
	}
	w := beginAs(h, p, random(s.next()))
	w.acted = s.acted
	s.groups = append(s.groups, w)
}

// mostGroups are in a succession at most.
const mostGroups = 6

// returns has a group that has retired begin again with another journal, to take over in turn. What its name had
// committed in its earlier life is there.
func (s *Succession) returns() {
	w := s.oneOf()
	followed := slices.ContainsFunc(s.groups, func(o *World) bool { return o.heir.follows == w })
	earlier := w.heir.follows
	if followed || earlier == nil || len(s.groups) == mostGroups || earlier.duty().OtherJournal != w.heir.journal {
		return
	}
	h := *earlier.heir
	h.follows, h.earlier = w, earlier
	if s.n(3) == 0 { // a group that nobody knows
		h.name, h.earlier = "d", nil
	} else {
		s.act("a name returns")
	}
	h.journal = fmt.Sprint(h.name, len(s.groups))
	s.join(&h)
	if s.n(2) == 0 { // at once
		s.verbs = append(s.verbs, newVerb(w, s.groups[len(s.groups)-1], false))
	}
}

// oneOf is a group, the latest one more often than others.
func (s *Succession) oneOf() *World { return s.groups[len(s.groups)-1-s.n(len(s.groups))*s.n(2)] }

// beginHeir has a group read what the others read, and gives it its first duty.
func (w *World) beginHeir() {
	h := w.heir
	if h == nil {
		return
	}
	w.bugs = h.of.bugs
	for i, p := range w.parts {
		if len(h.of.groups) == 0 {
			break
		}
		first := h.of.groups[0].parts[i]
		p.entries, p.need, p.allow, p.visible = first.entries, first.need, first.allow, first.visible
		if h.earlier != nil {
			p.committed, w.commits = h.earlier.parts[i].committed, h.earlier.commits
		}
	}
	d := protocol.Duty{}
	if h.follows != nil {
		d = protocol.Duty{Kind: protocol.Fills, Other: h.follows.heir.name, OwnJournal: h.journal}
	}
	w.declare(1, "", d)
}

// duty is the one in force.
func (w *World) duty() protocol.Duty { return w.dutyOf(string(w.inForce().Text)) }

// emit puts a document into the group's topic of unique documents, and the marker of its transaction behind some.
func (w *World) emit(e entry.Entry) {
	if w.heir == nil {
		return
	}
	u := w.heir.unique
	e.Offset, e.Time = int64(len(u.entries)), w.now
	u.entries = append(u.entries, e)
	if w.chance(1, 2) {
		u.entries = append(u.entries, entry.Entry{Offset: e.Offset + 1})
	}
	u.visible = int64(len(u.entries))
}

// end is the boundary at the end of the group's topic of unique documents.
func (h *heir) end() protocol.Boundary {
	u := h.unique
	return protocol.Boundary{Topic: fmt.Sprint("unique", u.source.Topic[0]), Source: u.source, Offset: u.visible}
}

// nextRound is the record that begins the next fill: up to where the topics of unique documents go now, and once the
// group is to forward, up to where its duty says. There is none where all of that is brought.
func (w *World) nextRound(r *index.Replica, d *protocol.Duty) index.Record {
	to := d.Fill
	if d.Kind == protocol.Fills {
		older := w.heir.follows
		to = append([]protocol.Boundary{older.heir.end()}, older.duty().Fill...)
	}
	plan := &protocol.Plan{Fixed: w.now}
	for _, b := range to {
		_, twice := plan.Of(b.Source)
		if r.FilledPart(b.Source).Through < b.Offset && !twice {
			plan.Ranges = append(plan.Ranges, protocol.Range{Topic: b.Topic, Source: b.Source, To: b.Offset})
		}
	}
	if len(plan.Ranges) == 0 || d.Kind == protocol.Fills && w.heir.of.late {
		return nil
	}
	w.act("a round")
	return w.planned(r.Filled().Number+1, plan)
}

func (s *Succession) act(what string) { s.acted[what]++ }

func (s *Succession) bad(format string, args ...any) {
	if s.failed == "" {
		s.failed = fmt.Sprintf(format, args...)
	}
}

// Run makes a history of so many steps.
func (s *Succession) Run(steps int, trace bool) Result {
	for _, w := range s.groups {
		w.tracing = trace
	}
	for s.steps = 0; s.steps < steps && s.failed == ""; s.steps++ {
		s.step()
	}
	s.finish()
	s.checkPromise()
	return Result{Steps: s.steps, Failure: s.failed, Trace: append(s.trace, s.failed)}
}

func (s *Succession) step() {
	switch k := s.n(40); {
	case k == 0 && s.faults && len(s.verbs) < 3:
		s.begins()
	case k == 1 && s.chance(1, 4):
		s.arrives()
	case k == 2 && s.faults:
		s.returns()
	case k < 12 && len(s.verbs) > 0:
		i := s.n(len(s.verbs))
		if s.faults && s.chance(1, 40) || !s.verbs[i].step() {
			s.verbs = slices.Delete(s.verbs, i, i+1)
		}
	default:
		s.goOn(s.groups[s.n(len(s.groups))])
	}
}

// arrives has the next document of a partition come to the source.
func (s *Succession) arrives() {
	number := s.n(s.params.Partitions)
	for _, w := range s.groups {
		if p := w.parts[number]; p.visible < int64(len(p.entries)) {
			p.visible++
		}
	}
}

// goOn lets something happen in a group. All see the same source, and the same time.
func (s *Succession) goOn(w *World) {
	w.faults = s.faults
	for tries := 0; tries < 8 && w.failure == ""; tries++ {
		if w.step() {
			w.steps++
			break
		}
	}
	for _, line := range w.trace {
		s.trace = append(s.trace, w.heir.journal+line)
	}
	w.trace = nil
	if w.failure != "" {
		s.bad("%s: %s", w.heir.journal, w.failure)
	}
	for _, o := range s.groups {
		o.now = max(o.now, w.now)
	}
}

// begins has a person begin a takeover, or abandon one.
func (s *Succession) begins() {
	newer := s.oneOf()
	if newer.heir.follows != nil {
		s.verbs = append(s.verbs, newVerb(newer.heir.follows, newer, s.chance(1, 4)))
	}
}

// finish lets everything come to its end: a takeover that was begun is completed or abandoned.
func (s *Succession) finish() {
	const patience, person = 80_000, 4_000
	s.faults = false
	for i := range patience {
		if s.failed != "" || s.ended() {
			return
		}
		if i%person == 0 { // whoever was stuck gives up, and another person comes
			s.verbs = nil
			for _, older := range s.groups {
				for _, newer := range s.groups {
					d := older.duty()
					if d.Kind == protocol.Retired && newer.heir.follows == older && d.Other == newer.heir.name {
						s.verbs = append(s.verbs, newVerb(older, newer, i/person%2 == 1))
					}
				}
			}
		}
		s.step()
		s.steps++
	}
	s.bad("documents never come out")
}

// ended says that every document came out.
func (s *Succession) ended() bool {
	for _, p := range s.groups[0].parts {
		if p.visible < int64(len(p.entries)) || slices.ContainsFunc(p.need, func(n int) bool { return n > 0 }) {
			return false
		}
	}
	return true
}

// checkPromise: no content was unique in two groups, and who forwards at the end has matched only what was in unique.
func (s *Succession) checkPromise() {
	for content := range uint64(s.params.Contents) + 1 {
		var in []string
		for _, w := range s.groups {
			if w.uniquesOf(content) > 0 {
				in = append(in, w.heir.journal)
			}
		}
		if len(in) > 1 {
			s.bad("content %c was unique in the groups %v", 'a'+rune(content)-1, in)
		}
	}
	for _, w := range s.groups {
		if s.failed == "" && w.duty().Kind == protocol.Forwards && w.begun {
			w.checkEnd()
		}
		if w.checkReplicas(); w.failure != "" {
			s.bad("%s: %s", w.heir.journal, w.failure)
		}
	}
}

// uniquesOf is how often the group has forwarded a content as unique.
func (w *World) uniquesOf(content uint64) (n int) {
	for _, p := range w.parts {
		for o := range p.entries {
			if p.entries[o].Content == content {
				n += p.uniques[o]
			}
		}
	}
	return n
}
