package protocol

import "github.com/unecho/unecho/index/entry"

// Level is what outputs have refused of a document.
type Level int

// Levels.
const (
	Whole    Level = iota // nothing
	Reject                // its verdict's topic: it goes to rejected
	Withhold              // even the rejected topic: it goes there without its value
)

// Refusals remembers what outputs have refused, until it is committed.
type Refusals map[entry.Source]map[int64]Level

// Level says in what form the document at offset goes out.
func (r Refusals) Level(source entry.Source, offset int64) Level { return r[source][offset] }

// Answer is what a session does about a refusal, after the abort.
type Answer int

// Answers.
const (
	Split    Answer = iota // take the batch again in parts: innocents failed with the culprit
	Again                  // take it again, in another form
	Forget                 // append that its verdict is forgotten, wait until that is applied, take it again
	Hopeless               // stop: no output takes it in any form
)

// Refused notes that an output has refused a record of the batch, which will be refused again, and says what to do. d is its
// only document, unless size says that there are more.
func (r Refusals) Refused(source entry.Source, d *Document, size int) Answer {
	if size > 1 {
		return Split
	}
	offset := d.Entry.Offset
	level := r.Level(source, offset)
	if d.Rejects() || level >= Reject {
		if level >= Withhold {
			return Hopeless
		}
		r.note(source, offset, Withhold)
		return Again
	}
	r.note(source, offset, Reject)
	if !d.Verdict.Unique() {
		return Again
	}
	return Forget
}

func (r Refusals) note(source entry.Source, offset int64, level Level) {
	if r[source] == nil {
		r[source] = map[int64]Level{}
	}
	r[source][offset] = level
}

// Committed drops what lies below end.
func (r Refusals) Committed(source entry.Source, end int64) {
	for offset := range r[source] {
		if offset < end {
			delete(r[source], offset)
		}
	}
}
