package removal

import (
	"context"
	"fmt"
	"strconv"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Document is a document that is remembered.
type Document struct {
	Topic     string // its source's name, as the journal has it
	Partition int32
	Offset    int64
	ID        string         // the user's; empty means the coordinates
	Judged    entry.Position // where the journal judged it
	Copies    int            // copies of it that are remembered as well, as duplicates.compare_copies: true does
	Copy      bool           // it was named by nobody: it is a copy of one that was
}

// Coordinates returns topic/partition/offset, which is the id of a document without one of its own.
func (d *Document) Coordinates() string {
	return d.Topic + "/" + strconv.FormatInt(int64(d.Partition), 10) + "/" + strconv.FormatInt(d.Offset, 10)
}

// Found is what Find found.
type Found struct {
	Documents []Document // the oldest first
	Unknown   []string   // the names that no document has, in the order in which they were given
}

// Targets returns the journal positions of the documents.
func (f *Found) Targets() []entry.Position {
	targets := make([]entry.Position, len(f.Documents))
	for i := range f.Documents {
		targets[i] = f.Documents[i].Judged
	}
	return index.SortTargets(targets)
}

// Find finds the documents that have one of the names as their id or as their coordinates, and with copies also the
// remembered copies of these. A document that was erased before has no id any more; its coordinates still name it.
func (w *Window) Find(ctx context.Context, names []string, copies bool) (Found, error) {
	s := NewSearch(names, copies)
	err := w.pager.Each(ctx, func(m *index.Remembered) { s.visit(w.pager.Replica, m) })
	if err != nil {
		return Found{}, fmt.Errorf("look for documents: %w", err)
	}
	return s.Found(), nil
}

// Search looks for documents in a replica that goes on meanwhile.
type Search struct {
	names  []string
	wanted map[string]bool // whether it was found
	copies bool
	walk   index.Walk
	topics map[entry.Source]string
	roots  map[uint64]int         // the place among the documents of each representative, by its number
	placed map[entry.Position]int // the place among the documents of those that were found, by where they were judged
	found  Found
}

// NewSearch begins a search for what Find finds.
func NewSearch(names []string, copies bool) *Search {
	s := &Search{
		names: names, copies: copies, wanted: make(map[string]bool, len(names)),
		topics: map[entry.Source]string{}, roots: map[uint64]int{}, placed: map[entry.Position]int{},
	}
	for _, name := range names {
		s.wanted[name] = false
	}
	return s
}

// Step looks at up to most documents more. It returns true at the end.
func (s *Search) Step(r *index.Replica, most int) (done bool) {
	return r.Step(&s.walk, most, func(m *index.Remembered) { s.visit(r, m) })
}

func (s *Search) visit(r *index.Replica, m *index.Remembered) {
	topic, named := s.topics[m.Source]
	if !named {
		topic = r.TopicOf(m.Source)
		s.topics[m.Source] = topic
	}
	d := Document{Topic: topic, Partition: m.Source.Partition, Offset: m.Entry.Offset, Judged: m.Judged}
	if !m.Entry.Erased() {
		d.ID = string(m.Entry.ID)
	}
	place, ofRoot := s.roots[m.Root]
	byID, byPlace := claim(s.wanted, d.ID), claim(s.wanted, d.Coordinates())
	chosen := byID || byPlace
	if ofRoot && m.Root != m.Number {
		s.found.Documents[place].Copies++
		d.Copy = !chosen
		chosen = chosen || s.copies
	}
	if !chosen {
		return
	}
	at, again := s.placed[d.Judged]
	if !again { // else it has entered the window again
		at = len(s.found.Documents)
		s.placed[d.Judged] = at
		s.found.Documents = append(s.found.Documents, d)
	}
	if m.Root == m.Number {
		s.roots[m.Number] = at
	}
}

// Found returns what was found. Call it once, at the end.
func (s *Search) Found() Found {
	for _, name := range s.names {
		if found, first := s.wanted[name]; first && !found {
			s.found.Unknown = append(s.found.Unknown, name)
			delete(s.wanted, name)
		}
	}
	return s.found
}

func claim(wanted map[string]bool, name string) bool {
	_, is := wanted[name]
	if is {
		wanted[name] = true
	}
	return is
}
