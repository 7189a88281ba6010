package protocol

// Level is what outputs have refused of a document.
type Level int

// Levels.
const (
	Whole    Level = iota // nothing
	Reject                // its verdict's topic: it goes to rejected
	Withhold              // even the rejected topic: it goes there without its value
)

// Level says in what form the document at offset goes out. What was refused is remembered until it is committed, and no longer
// than the assignment: in another epoch the document may have another verdict, whose output has refused nothing.
func (a *Assignment) Level(offset int64) Level { return a.refused[offset] }

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
func (a *Assignment) Refused(d *Document, size int) Answer {
	if size > 1 {
		return Split
	}
	level := a.Level(d.Entry.Offset)
	if d.Rejects() || level >= Reject {
		if level >= Withhold {
			return Hopeless
		}
		a.note(d.Entry.Offset, Withhold)
		return Again
	}
	if d.Verdict.Unique() {
		return Forget // until that is applied it is not to go to rejected: later ones would be its copies
	}
	a.note(d.Entry.Offset, Reject)
	return Again
}

func (a *Assignment) note(offset int64, level Level) {
	if a.refused == nil {
		a.refused = map[int64]Level{}
	}
	a.refused[offset] = level
}
