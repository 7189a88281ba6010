package sim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
)

const settings = `{"settings":"of the simulation"}`

// World is one history as far as it has come.
type World struct {
	choices
	params Params
	kinds  []kind       // of what may happen
	weight int          // of all
	index  index.Params // that the journal was begun with
	ours   uint64       // the fingerprint of the settings
	twin   *naive.Twin  // has applied the whole journal
	faults bool         // go on
	away   bool         // in a story: the journal takes nothing, and documents are passed on
	now    int64        // ms

	plan       *protocol.Plan // of a backfill; nil: a live group
	order      []placed       // the plan's documents by their places
	judgements int            // of them, so far
	over       string         // why a person is needed; empty: nobody is

	olds    []*part // of a topic that the group never reads, and fills bring
	plans   []*fill // that somebody has fixed
	fill    *fill   // in force; nil: none was begun
	brought map[entry.Source]*bringing
	fillers [2]*filler
	own     bool            // they bring what is there of the group's own topic
	begun   bool            // the group judges
	duties  []protocol.Duty // that routings give
	heir    *heir           // of a succession; nil: there is no other group
	bugs    Bugs            // of a succession

	parts     []*part
	topics    int // incarnations of the source topic so far
	journal   []logged
	begin     int64 // of the journal: what lies below is trimmed
	air       []flight
	documents []document
	requests  []asked
	routings  []force // that were in force, the last is
	changes
	snapshots  []snapshotted   // the oldest first
	shelf      *shelf          // what they are made of
	disks      map[int]*drawer // the latest of each name
	marks      uint64          // numbers given out
	members    []*member       // the latest process of each name
	processes  []*member       // all that live, with those that nobody counts on any more
	witness    *member         // has no session, and may go wrong
	sessions   []*session      // all that may live
	opened     int             // sessions so far
	slots      []slot
	generation int
	commits    int64 // length of the offsets topic
	open       []*transaction

	passes [256]int // of a content: how often it was passed on

	acted   map[string]int // how often what has happened; nil: nobody asks
	failure string
	steps   int
	tracing bool
	trace   []string
}

// slot is the place of a session in the group, and its transactional id.
type slot struct {
	joined *session // in the group
	latest *session // that fenced the others
	moved  []bool   // partitions of which another document was judged
}

// part is one partition of an incarnation of the source topic.
type part struct {
	number  int
	source  entry.Source
	entries []entry.Entry // by offset; Kind None: a gap
	begin   int64         // of the source: retention has deleted what was below
	visible int64         // the end of the source
	owner   int           // slot; -1: nobody's

	committed commit
	reset     int64 // log position of the last offset set by hand
	need      []int // outputs that have to come
	allow     []int // outputs that may come
	outputs   []int // that came, of any kind
	uniques   []int // of them to unique
	skipped   []bool
	set       bool     // somebody has set an offset
	asked     int      // how often offsets were changed, and documents may be unique again
	trimmed   int      // how often its head was deleted, and an epoch may begin behind what the journal knows to be forwarded
	torn      bool     // documents were lost, and others took their places
	passed    []uint32 // the epoch in which a document was passed on unchecked; 0: it was not
	untold    []bool   // it was passed on, and refused: it is recorded, and never was in unique

	// what the journal says, by the records so far
	epoch       uint32
	start, base int64
	most        []int64     // by epoch: how far it is committed; -1: not at all
	verdicts    [][]verdict // by offset

	from int64 // the group begins there, because a fill or another group has what is below

	// of a backfill
	within   *protocol.Range // what is read; nil: all
	foreseen []index.Verdict // by offset: what the order of places makes of a document
	fed      int64           // all below is fed or rejected
	counted  protocol.Tally  // of what was forwarded
}

// commit is an offset in the offsets topic.
type commit struct {
	offset   int64 // -1: none
	metadata string
	log      int64 // where it stands there
	known    *protocol.Committed
}

// read reads the metadata. A backfill's are looked at in each step, and read once.
func (c *commit) read() protocol.Committed {
	if c.known == nil {
		known := protocol.NewCommitted(c.offset, c.metadata)
		c.known = &known
	}
	return *c.known
}

// verdict is what the journal gave a document in an epoch.
type verdict struct {
	epoch     uint32
	verdict   index.Verdict
	forgotten bool
}

// New is the beginning of a history.
func New(p Params, seed uint64) *World { return beginAs(nil, p, random(seed)) }

// beginAs begins the history of a group of a succession, or of one alone.
func beginAs(h *heir, p Params, c choices) *World {
	w := &World{
		params: p, choices: c, heir: h, kinds: kinds(p), ours: index.Fingerprint([]byte(settings)), faults: true,
		now: 1_000_000,
	}
	for _, k := range w.kinds {
		w.weight += k.weight
	}
	w.index = index.DefaultParams()
	s := &w.index.Duplicates
	s.Shingle, s.Slots, s.Bands, s.Rows, s.Verify = "word:3", 32, 1, 1, "estimate"
	s.MaxReferences = cmp.Or(p.References, s.MaxReferences)
	w.index.Duplicates.Remember = index.RememberParams{
		Age: p.Age, Documents: p.Count, Clock: "arrival", Tolerance: 1 << 40, Refresh: "first",
		ReemitEvery: p.Reemit,
	}
	if p.Requests {
		w.index.Duplicates.Remember.Keys = requestsLast
	}
	if p.Refresh {
		w.index.Duplicates.Remember.Refresh = "last"
	}
	if p.KeepAll {
		w.index.Duplicates.CompareCopies = true
	}
	if p.Backfill {
		w.index.Duplicates.Remember.Clock, w.index.Duplicates.Remember.Tolerance = "event", time.Second
	}
	w.disks = map[int]*drawer{}
	w.shelf, w.brought = &shelf{segments: map[string][]byte{}}, map[entry.Source]*bringing{}
	w.beginChanges()
	w.twin = naive.New(w.index, []byte(settings), w.ours)
	w.land(flight{letter: letter{record: &index.Settings{Text: []byte(settings), Wall: w.now}}})
	w.createTopic()
	w.fix()
	w.beginFills()
	w.beginHeir()
	w.slots = make([]slot, p.Members*p.Sessions)
	for i := range w.slots {
		w.slots[i].moved = make([]bool, p.Partitions)
	}
	w.members = make([]*member, p.Members)
	for i := range w.members {
		w.startMember(i)
	}
	if p.Divergence {
		w.witness = w.newMember(-1)
	}
	return w
}

// createTopic makes the source topic, of another UUID than the one before.
func (w *World) createTopic() {
	w.topics++
	w.parts = make([]*part, w.params.Partitions)
	for i := range w.parts {
		n := w.params.Documents
		p := w.newPart(byte(w.topics), i, n)
		if !w.params.Arrived {
			p.visible = int64(w.n(n + 1))
		}
		w.parts[i] = p
	}
}

// newPart makes a partition with n offsets, all of which are there.
func (w *World) newPart(topic byte, number, n int) *part {
	p := &part{
		number: number, source: entry.Source{Topic: [16]byte{topic}, Partition: int32(number)},
		entries: make([]entry.Entry, n), owner: -1,
		committed: commit{offset: -1}, need: make([]int, n), allow: make([]int, n), outputs: make([]int, n),
		uniques: make([]int, n),
		passed:  make([]uint32, n), untold: make([]bool, n),
		skipped: make([]bool, n), verdicts: make([][]verdict, n), visible: int64(n),
	}
	for o := range p.entries {
		w.write(p, int64(o))
	}
	return p
}

// write puts a document, or nothing, at an offset.
func (w *World) write(p *part, offset int64) {
	p.need[offset], p.allow[offset] = 1, 1
	if w.params.Gaps && offset < int64(len(p.entries))-1 && w.n(8) == 0 {
		p.entries[offset] = entry.Entry{Offset: offset}
		p.need[offset], p.allow[offset] = 0, 0
		return
	}
	p.entries[offset] = w.document(offset)
}

// document draws one.
func (w *World) document(offset int64) entry.Entry {
	content := byte(1 + w.n(w.params.Contents))
	if w.params.Changes || w.params.Erasures {
		return w.named(offset, content)
	}
	return w.request(entry.Entry{
		Offset: offset, Time: w.now, Content: uint64(content), Kind: entry.Sketch,
		Keys:     []byte{content, content, content, content},
		Evidence: []byte{content},
	})
}

// The last contents are those that are rejected, and refused.
func (w *World) rejects(content uint64) bool {
	return w.params.Rejects && content == uint64(w.params.Contents)
}

// leaves says that a content is not checked. Outputs refuse that content, too.
func (w *World) leaves(content uint64) bool { return w.params.Leaves && w.rejects(content) }

func (w *World) refuses(content uint64, in form) bool {
	if in == asBypassed || in == asUnchecked {
		in = asVerdict
	}
	switch {
	case in == asNothing, content != uint64(w.params.Contents-1) && !w.leaves(content), w.params.Refuses == 0:
		return false
	case w.params.Untimely:
		return in != asRetimed
	}
	return w.params.Refuses > int(in)
}

func (p *part) gap(offset int64) bool { return p.entries[offset].Kind == entry.None }

// marker says that a gap is the marker of a transaction, which a session polls; others it never sees.
func (p *part) marker(offset int64) bool {
	return p.gap(offset) && (offset%2 == 0 || p.source.Topic[0] > oldTopic)
}

// given is the verdict of a document in an epoch.
func (p *part) given(offset int64, epoch uint32) *verdict {
	of := p.verdicts[offset]
	for i := len(of) - 1; i >= 0; i-- {
		if of[i].epoch == epoch {
			return &of[i]
		}
	}
	return nil
}

// bad says that the history breaks an invariant.
func (w *World) bad(format string, args ...any) {
	if w.failure == "" {
		w.failure = fmt.Sprintf(format, args...)
		w.note("VIOLATION: %s", w.failure)
	}
}

func (w *World) note(format string, args ...any) {
	if w.tracing {
		w.trace = append(w.trace, fmt.Sprintf("%4d  ", w.steps)+fmt.Sprintf(format, args...))
	}
}

// act counts what happens, so that a test can tell that everything does.
func (w *World) act(what string) {
	if w.acted != nil {
		w.acted[what]++
	}
}
