package removal

import (
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
	Judged    index.Position // where the journal judged it
	Copies    int            // copies of it that are remembered as well, as index.keep: all does
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
func (f *Found) Targets() []index.Position {
	targets := make([]index.Position, len(f.Documents))
	for i := range f.Documents {
		targets[i] = f.Documents[i].Judged
	}
	return index.SortTargets(targets)
}

// Find finds the documents that have one of the names as their id or as their coordinates, and with copies also the
// remembered copies of these. A document that was erased before has no id any more; its coordinates still name it.
func (w *Window) Find(names []string, copies bool) Found {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[name] = false
	}
	topics := map[entry.Source]string{}
	for _, p := range w.replica.Contents().Partitions {
		topics[p.Source] = p.Topic
	}
	var f Found
	roots := map[uint64]int{} // the place in f.Documents of each representative, by its number
	w.replica.Each(func(m *index.Remembered) {
		d := Document{Topic: topics[m.Source], Partition: m.Source.Partition, Offset: m.Entry.Offset, Judged: m.Judged}
		if !m.Entry.Erased() {
			d.ID = string(m.Entry.ID)
		}
		place, ofRoot := roots[m.Root]
		byID, byPlace := claim(wanted, d.ID), claim(wanted, d.Coordinates())
		named := byID || byPlace
		if ofRoot && m.Root != m.Number {
			f.Documents[place].Copies++
			d.Copy = !named
			named = named || copies
		}
		if !named {
			return
		}
		if m.Root == m.Number {
			roots[m.Number] = len(f.Documents)
		}
		f.Documents = append(f.Documents, d)
	})
	for _, name := range names {
		if found, first := wanted[name]; first && !found {
			f.Unknown = append(f.Unknown, name)
			delete(wanted, name)
		}
	}
	return f
}

// claim notes that a wanted name was found.
func claim(wanted map[string]bool, name string) bool {
	_, is := wanted[name]
	if is {
		wanted[name] = true
	}
	return is
}
