package comparison

// Report is what a comparison found. Its form in JSON is a promise to scripts.
type Report struct {
	OldGroup string `json:"old_group"`
	NewGroup string `json:"new_group"`
	Spans    []Span `json:"spans"` // what was compared
	// The replay of the new group's journal began at the first of these offsets, and ended before the second.
	JournalFrom int64 `json:"journal_from"`
	JournalTo   int64 `json:"journal_to"`

	// Documents counts those that at least one group is known to have judged. It is the sum of the twelve counts below.
	Documents    int64 `json:"documents"`
	BothUnique   int64 `json:"both_unique"`   // both say unique
	SameOriginal int64 `json:"same_original"` // both say duplicate, of the same original
	// OtherFirst counts copies of the same documents in both groups, of which the groups took different ones for the
	// original, because they judge the partitions in another order. One of the groups may say unique.
	OtherFirst    int64 `json:"other_first"`
	OtherOriginal int64 `json:"other_original"`  // both say duplicate, of different originals; without OtherFirst
	OnlyOld       int64 `json:"only_old"`        // the old group says duplicate, the new one unique; without OtherFirst
	OnlyNew       int64 `json:"only_new"`        // the new group says duplicate, the old one unique; without OtherFirst
	BothRejected  int64 `json:"both_rejected"`   // both say rejected
	RejectedByOld int64 `json:"rejected_by_old"` // the old group says rejected, and the new one does not
	RejectedByNew int64 `json:"rejected_by_new"` // the new group says rejected, and the old one does not
	NoOutput      int64 `json:"no_output"`       // no output of the old group has it: it was deleted, or went elsewhere
	Unclear       int64 `json:"unclear"`         // outputs of the old group differ: it judged the document several times
	Before        int64 `json:"before"`          // the new group judged it before JournalFrom, or not at all
	// Neither counts offsets about which neither group says anything, such as the markers of transactions in the source.
	Neither int64 `json:"neither"`

	Old Side `json:"old"`
	New Side `json:"new"`
	// These count the documents of OnlyOld and of OnlyNew by their similarity to the original that the one group found.
	OldAlone Shares `json:"only_old_similarities"`
	NewAlone Shares `json:"only_new_similarities"`
	// Examples are documents on which the groups differ: the newest ones, of each kind of difference as many.
	Examples []Example `json:"examples"`
}

// Side counts the verdicts of one group, as far as they are known.
type Side struct {
	Unique    int64  `json:"unique"`
	Duplicate int64  `json:"duplicate"`
	Rejected  int64  `json:"rejected"`
	Shares    Shares `json:"similarities"` // of the duplicates
}

// Steps is the number of steps between the similarities 0 and 1: each is as wide as 0.05.
const Steps = 20

// Shares counts duplicates by similarity: element i counts those from i/Steps up to (i+1)/Steps, the latter excluded.
// The last element has those of similarity 1 as well.
type Shares [Steps]int64

func (s *Shares) add(similarity uint16) { s[min(int(similarity)*Steps/whole, Steps-1)]++ }

// Example is a document on which the groups differ.
type Example struct {
	Source string `json:"source"` // topic/partition/offset
	Old    Said   `json:"old"`
	New    Said   `json:"new"`
}

// Said is what a group said of a document.
type Said struct {
	Verdict    string  `json:"verdict"`              // unique, duplicate or rejected
	Match      string  `json:"match,omitempty"`      // topic/partition/offset of the original; empty: there is none
	Similarity float64 `json:"similarity,omitempty"` // to the original: four decimals, rounded down
}
