package sim

import (
	"fmt"
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
)

// Bugs are planted in a succession, to see that it finds them.
type Bugs struct {
	Undrained bool // the new group begins although the old one has members: offsets are read before the fence
	Hole      bool // the new group begins to forward behind the old one's offset
	Overlap   bool // it begins below
	Returns   bool // a member of the old group that comes back does not look at the routing
	Beyond    bool // a shadow reads beyond what the old group has committed
	Stale     bool // a retirement that was made void is completed
	Forgets   bool // where the old group began to forward itself is forgotten
}

// Succession is a world of three groups that read one partition: the first, and two that may take over from it, which
// it may take over from again. Their sessions and the verbs of people are killed, stopped for a while, and come late,
// at any step. What is decided is decided by package protocol. The journals hold routings only, because whether
// verdicts are right is the business of World.
type Succession struct {
	choices
	bugs   Bugs
	groups []*line
	end    int64 // of the partition
	out    []int // how often each document came out
	verbs  []*heirVerb
	air    []late
	joins  int // members so far
	faults bool
	steps  int
	acted  map[string]int
	failed string
}

// late is a record on its way to a journal.
type late struct {
	to *line
	declared
}

// declared is a routing in a journal.
type declared struct {
	number uint32
	duty   protocol.Duty
}

// line is a group of a succession.
type line struct {
	number    int
	name      string
	journal   []declared // those that count
	committed int64
	pending   *heirTxn     // with offsets of it
	members   map[int]bool // by their number
	holder    int          // the member that has the partition
	follows   *line        // by its configuration
	sessions  []*heirSession
}

// heirTxn is a transaction of a session.
type heirTxn struct {
	of    *line
	from  int64
	to    int64
	loud  []int64
	offer bool // its offsets were accepted
	over  bool
}

// heirSource is the one partition that all groups read.
func heirSource() entry.Source { return entry.Source{Partition: 0} }

const heirDocuments = 8

// NewSuccession makes a world from a seed.
func NewSuccession(seed uint64, bugs Bugs) *Succession {
	w := &Succession{
		choices: random(seed), bugs: bugs, out: make([]int, heirDocuments), faults: true,
		acted: map[string]int{},
	}
	for i, name := range []string{"a", "b", "c"} {
		g := &line{number: i, name: name, committed: -1, members: map[int]bool{}}
		w.groups = append(w.groups, g)
		for range 2 {
			g.sessions = append(g.sessions, &heirSession{w: w, g: g})
		}
	}
	a := w.groups[0]
	a.journal = append(a.journal, declared{1, protocol.Duty{}})
	for _, g := range w.groups[1:] {
		g.follows = a
		g.journal = append(g.journal,
			declared{1, protocol.Duty{Kind: protocol.Shadows, Other: a.name, Ours: g.incarnation()}})
	}
	return w
}

func (g *line) incarnation() string { return g.name + "1" }

// now is the routing in force by the first n records that count.
func (g *line) now(n int) declared { return g.journal[n-1] }

// land appends a record, which counts with the next number.
func (w *Succession) land(l late) {
	if int(l.number) != len(l.to.journal)+1 {
		w.act("too late")
		return
	}
	l.to.journal = append(l.to.journal, l.declared)
	w.act("declared")
}

func (w *Succession) act(what string) { w.acted[what]++ }

func (w *Succession) bad(format string, args ...any) {
	if w.failed == "" {
		w.failed = fmt.Sprintf(format, args...)
	}
}

// commits ends a transaction: its documents come out, and its offsets hold.
func (w *Succession) commits(t *heirTxn) {
	t.over = true
	if t.of.pending == t {
		t.of.pending = nil
	}
	for _, o := range t.loud {
		if w.out[o]++; w.out[o] > 1 {
			w.bad("document %d came out twice, the second time by %s", o, t.of.name)
		}
	}
	t.of.committed = t.to
}

func (w *Succession) aborts(t *heirTxn) {
	if t.over {
		return
	}
	t.over = true
	if t.of.pending == t {
		t.of.pending = nil
	}
	w.act("aborted")
}

// Run makes a history, and returns what went wrong.
func (w *Succession) Run(steps int) string {
	for w.steps = 0; w.steps < steps && w.failed == ""; w.steps++ {
		w.step()
	}
	w.faults = false
	w.finish()
	return w.failed
}

func (w *Succession) step() {
	switch k := w.n(20); {
	case k == 0 && w.end < heirDocuments:
		w.end++
	case k == 1 && len(w.verbs) < 3:
		w.begins()
	case k < 6 && len(w.verbs) > 0:
		i := w.n(len(w.verbs))
		if w.chance(1, 40) || !w.verbs[i].step() {
			w.verbs = slices.Delete(w.verbs, i, i+1)
		}
	case k < 8 && len(w.air) > 0:
		i := w.n(len(w.air))
		w.land(w.air[i])
		if !w.chance(1, 8) { // else it arrives again
			w.air = slices.Delete(w.air, i, i+1)
		}
	default:
		g := w.groups[w.n(len(w.groups))]
		s := g.sessions[w.n(len(g.sessions))]
		switch {
		case w.chance(1, 25):
			s.dies()
		case w.chance(1, 25):
			s.expelled()
		default:
			s.step()
		}
	}
}

// begins has a person begin a takeover, or abandon one.
func (w *Succession) begins() {
	newer := w.groups[w.n(len(w.groups))]
	if newer.follows == nil {
		return
	}
	w.verbs = append(w.verbs, &heirVerb{
		w: w, older: newer.follows, newer: newer,
		Handover: protocol.Handover{Back: w.chance(1, 4)},
	})
}

// finish lets everything come to its end: a takeover that was begun is completed or abandoned.
func (w *Succession) finish() {
	for round := range 4000 {
		if w.failed != "" || w.ended() && w.end == heirDocuments {
			break
		}
		w.end = heirDocuments
		for len(w.air) > 0 {
			w.land(w.air[0])
			w.air = w.air[1:]
		}
		if round%100 == 0 { // whoever was stuck gives up, and another person comes
			w.verbs = nil
			for _, g := range w.groups {
				if d := g.now(len(g.journal)).duty; d.Kind == protocol.Retired {
					w.verbs = append(w.verbs, &heirVerb{
						w: w, older: g, newer: w.called(d.Other),
						Handover: protocol.Handover{Back: round/100%2 == 1},
					})
				}
			}
		}
		w.verbs = slices.DeleteFunc(w.verbs, func(v *heirVerb) bool { return !v.step() })
		for _, g := range w.groups {
			for _, s := range g.sessions {
				s.step()
			}
		}
	}
	for o, n := range w.out {
		if n == 0 {
			w.bad("document %d never came out", o)
		}
	}
}

func (w *Succession) called(name string) *line {
	for _, g := range w.groups {
		if g.name == name {
			return g
		}
	}
	return nil
}

func (w *Succession) ended() bool { return !slices.Contains(w.out, 0) }
