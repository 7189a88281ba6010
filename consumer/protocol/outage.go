package protocol

// What a group does while its journal is away (design 4, rule 18): documents are passed on unchecked, and the group's
// commit notes from where on the journal has not heard of them. When the journal is back they are read again and
// recorded, before anything else is judged. No verdict is taken for them, so none of them goes out twice.

// HasUnjournaled says that documents were passed on unchecked, and the journal has yet to be told of them.
func (a *Assignment) HasUnjournaled() bool { return a.Unjournaled > 0 }

// Journaled is the offset below which the journal has all that was forwarded.
func (a *Assignment) Journaled() int64 { return a.Base - a.Unjournaled }

// MayBypass says that the documents of the batch that have no verdict can be passed on. Those of a backfill
// wait, and so does what is to be recorded or forgotten.
func (b *Batch) MayBypass() bool {
	if b.wants != WantVerdicts && b.wants != WantEntries && b.wants != WantReached {
		return false
	}
	for i := range b.Groups {
		if g := &b.Groups[i]; !g.Mode.MayBypass() {
			return false
		}
	}
	return !b.records && len(b.forgets) == 0
}

// Bypass answers WantEntries and WantReached while the journal is away, where the batch MayBypass. Documents that
// have no verdict go out unchecked. That an append of them is on its way does no harm: they are recorded by it.
func (b *Batch) Bypass() {
	for i := range b.Groups {
		g := &b.Groups[i]
		g.Bypasses = true
		for d := range g.Documents {
			if !d.Judged && !d.Rejected && !d.Unchecked {
				d.Bypassed = true
			}
		}
	}
	b.wants = WantTimeCheck
}

// NewRecording begins the way of documents that were passed on, into the journal: the end of each group is not beyond
// its base. It wants what a batch wants until all is judged. The verdicts are not used.
func NewRecording(groups []Group, size int, intake *Intake) *Batch {
	b := NewBatch(groups, size, intake)
	b.records = true
	return b
}

// recorded ends the way of a recording.
func (b *Batch) recorded() {
	for i := range b.Groups {
		b.Groups[i].Unjournaled = b.Groups[i].Base - b.Groups[i].End
	}
	b.wants, b.inJournal = Done, true
}

// unjournaled is how many offsets below the committed one the journal does not have. What it was told since the commit
// counts.
func (f *Findings) unjournaled() int64 {
	return max(0, min(f.Committed.Owed, f.Committed.Offset-f.Replica.Base))
}
