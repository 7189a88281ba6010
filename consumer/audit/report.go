package audit

import (
	"fmt"
	"strings"
)

// Violation is a broken promise.
type Violation string

// Violations.
const (
	Lost       Violation = "lost"       // a source record is in no output
	Doubled    Violation = "doubled"    // it is in an output once more than it may be
	Different  Violation = "different"  // its topic or our headers are not what the journal decided
	Misordered Violation = "misordered" // it stands before one that precedes it in its source partition
	Altered    Violation = "altered"    // key, value, its own headers or timestamp are not as they were
	Invented   Violation = "invented"   // an output record has no source record
)

// Finding is one violation.
type Finding struct {
	Violation Violation `json:"violation"`
	Source    string    `json:"source"` // topic/partition/offset of the source record, as far as it is known
	Output    string    `json:"output"` // and of the output record; empty where there is none
	What      string    `json:"what"`
}

// String is the finding in one line.
func (f Finding) String() string {
	if f.Output == "" {
		return fmt.Sprintf("%s: %s: %s", f.Violation, f.Source, f.What)
	}
	return fmt.Sprintf("%s: %s in %s: %s", f.Violation, f.Source, f.Output, f.What)
}

// Report is the outcome of an audit. Its JSON is a promise to scripts.
type Report struct {
	From int64 `json:"journal_from"` // the journal was replayed from this offset on: 0, or that of a snapshot
	To   int64 `json:"journal_to"`

	Records   int `json:"records"`   // source records that had to come out
	Pending   int `json:"pending"`   // those beyond that: the group has not committed them
	Skipped   int `json:"skipped"`   // those committed that no pass owes and no output has: the group's offset was set beyond them
	Elsewhere int `json:"elsewhere"` // those committed that no pass owes here and no output has: by another routing they went elsewhere, or nowhere
	Unjudged  int `json:"unjudged"`  // those due whose verdict lies before the snapshot: compared in all but that
	Unique    int `json:"unique"`    // output records, by topic
	Duplicate int `json:"duplicate"`
	Rejected  int `json:"rejected"`
	Unchecked int `json:"unchecked"` // output records whose source record the source topic no longer holds
	Earlier   int `json:"earlier"`   // output records that an earlier journal decided: compared with their source record only

	Lost       int `json:"lost"`
	Doubled    int `json:"doubled"`
	Different  int `json:"different"`
	Misordered int `json:"misordered"`
	Altered    int `json:"altered"`
	Invented   int `json:"invented"`

	Findings []Finding `json:"findings"` // the first ones of each kind

	most int // findings of a kind
}

// Outcome is what an audit proves.
type Outcome string

// Outcomes.
const (
	Broken    Outcome = "broken"    // something was found
	Nothing   Outcome = "nothing"   // no record was due: nothing could be checked
	Delivered Outcome = "delivered" // all that was due came out once, unchanged and in order; no verdict of it is known
	Partly    Outcome = "partly"    // so it did, and of those whose verdict is known as the journal decided
	Proven    Outcome = "proven"    // so it did, all as the journal decided
)

// Outcome says what could be checked, and what came of it.
func (r *Report) Outcome() Outcome {
	switch {
	case r.Broken() > 0:
		return Broken
	case r.Records == 0:
		return Nothing
	case r.Unjudged >= r.Records:
		return Delivered
	case r.Unjudged > 0:
		return Partly
	}
	return Proven
}

// OK says that no promise was broken, as far as could be checked.
func (r *Report) OK() bool { return r.Broken() == 0 }

// Broken counts what is wrong.
func (r *Report) Broken() int {
	return r.Lost + r.Doubled + r.Different + r.Misordered + r.Altered + r.Invented
}

// String is the report for people: the counts in one line, then a line for each finding that is spelled out.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d records: %d unique, %d duplicate, %d rejected", r.Records, r.Unique, r.Duplicate, r.Rejected)
	if r.Unchecked > 0 {
		fmt.Fprintf(&b, " (%d of them unchecked: their source records are gone)", r.Unchecked)
	}
	fmt.Fprintf(&b, "; %d lost, %d doubled, %d different, %d misordered, %d altered, %d invented",
		r.Lost, r.Doubled, r.Different, r.Misordered, r.Altered, r.Invented)
	if r.Earlier > 0 {
		fmt.Fprintf(&b, "; %d of an earlier journal", r.Earlier)
	}
	if r.Outcome() == Nothing {
		b.WriteString("; nothing was due, so that nothing is proven")
	}
	if r.Skipped > 0 {
		fmt.Fprintf(&b, "; %d skipped", r.Skipped)
	}
	if r.Elsewhere > 0 {
		fmt.Fprintf(&b, "; %d went elsewhere by another routing", r.Elsewhere)
	}
	if r.Unjudged > 0 {
		fmt.Fprintf(&b, "; %d not judged: their verdicts lie before the snapshot at %d", r.Unjudged, r.From)
	}
	for _, f := range r.Findings {
		b.WriteString("\n  " + f.String())
	}
	if more := r.Broken() - len(r.Findings); more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

func (r *Report) found(f Finding) {
	count := map[Violation]*int{
		Lost: &r.Lost, Doubled: &r.Doubled, Different: &r.Different, Misordered: &r.Misordered, Altered: &r.Altered, Invented: &r.Invented,
	}[f.Violation]
	if *count++; *count <= r.most {
		r.Findings = append(r.Findings, f)
	}
}
