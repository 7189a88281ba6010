package protocol

// Level is what outputs have refused of a document.
type Level int

// Levels.
const (
	Whole    Level = iota // nothing
	Reject                // its verdict's topic: it goes to rejected
	Withhold              // even the rejected topic: it goes there without its value
)

// refusal is what is remembered of one document.
type refusal struct {
	level   Level
	retimed bool
	passed  bool // it was refused without a verdict
}

// Level says in what form the document at offset goes out. A refusal is remembered until the document is committed,
// and no longer than the assignment. In another epoch the document may have another verdict, whose output has refused
// nothing.
func (a *Assignment) Level(offset int64) Level { return a.refused[offset].level }

// Retimed says that the rejected topic has refused the time of the document at offset: it has another there.
func (a *Assignment) Retimed(offset int64) bool { return a.refused[offset].retimed }

// GoesToRejected says that a document that was produced went to rejected.
func (a *Assignment) GoesToRejected(d *Document) bool {
	return a.Level(d.Entry.Offset) > Whole || !d.Judged && !d.Unchecked && !d.Bypassed || d.Verdict.Forgotten || d.Withheld
}

// Untimely notes that the output of a document's verdict would refuse its time, before it is tried, and says what to
// do. Again means nothing: the document goes to rejected anyway, or does from now on.
func (a *Assignment) Untimely(d *Document) Answer {
	if d.Rejects() || a.Level(d.Entry.Offset) >= Reject {
		return Again
	}
	return a.Refused(d, 1, true)
}

// Answer is what a session does about a refusal, after the abort.
type Answer int

// Answers.
const (
	Split    Answer = iota // take the batch again in parts: innocents failed with the culprit
	Again                  // take it again, in another form
	Forget                 // append that its verdict is forgotten, wait until that is applied, take it again
	Hopeless               // stop: no output takes it in any form
)

// Refused notes that an output has refused a record of the batch, and says what to do: the same record would be
// refused again. d is the only document of the batch, or its first one if size is more than one. Untimely says that
// the record was refused for its time.
func (a *Assignment) Refused(d *Document, size int, untimely bool) Answer {
	if size > 1 {
		return Split
	}
	now := a.refused[d.Entry.Offset]
	switch rejecting := d.Rejects() || now.level >= Reject; {
	case rejecting && untimely && !now.retimed:
		now.retimed = true
	case rejecting && (untimely || now.level >= Withhold):
		return Hopeless
	case rejecting:
		now.level = Withhold
	case !d.Judged: // it was not checked, so nothing is its copy
		now.level, now.passed = Reject, d.Bypassed
	case d.Verdict.Unique():
		return Forget // until that is applied it is not to go to rejected: later ones would be its copies
	default:
		now.level = Reject
	}
	a.note(d.Entry.Offset, now)
	return Again
}

func (a *Assignment) note(offset int64, what refusal) {
	if a.refused == nil {
		a.refused = map[int64]refusal{}
	}
	a.refused[offset] = what
}
