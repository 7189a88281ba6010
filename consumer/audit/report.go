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
	Doubled    Violation = "doubled"    // a source record is in the outputs more often than it may be
	Different  Violation = "different"  // an output's topic or our headers are not what the journal decided
	Misordered Violation = "misordered" // an output stands before one that precedes it in its source partition
	Altered    Violation = "altered"    // an output's key, value, own headers or timestamp are not the source record's
	Invented   Violation = "invented"   // an output record has no source record
)

// Finding is one violation.
type Finding struct {
	Violation Violation `json:"violation"`
	Source    string    `json:"source"` // topic/partition/offset of the source record, as far as it is known
	Output    string    `json:"output"` // topic/partition/offset of the output record; empty if there is none
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
	From int64 `json:"journal_from"` // journal offset at which the replay began: 0, or that of a snapshot
	To   int64 `json:"journal_to"`

	Records int `json:"records"` // source records that had to come out
	Pending int `json:"pending"` // source records that the group has not committed, so that they need not come out
	// Skipped counts committed source records that no pass owes and no output has: the group's offset was set beyond them.
	Skipped int `json:"skipped"`
	// Elsewhere counts committed source records that another routing sent to other topics, or nowhere: no pass owes them
	// here, and no output has them.
	Elsewhere int `json:"elsewhere"`
	// Unjudged counts due source records whose verdict was reached before the snapshot: all but the verdict is compared.
	Unjudged  int `json:"unjudged"`
	Unique    int `json:"unique"` // output records, by topic
	Duplicate int `json:"duplicate"`
	Rejected  int `json:"rejected"`
	Verdicts  int `json:"verdicts"`  // records of the topics of verdicts
	Unchecked int `json:"unchecked"` // output records whose source record the source topic no longer holds
	Passed    int `json:"passed"`    // output records that were passed on while the journal was away
	Retimed   int `json:"retimed"`   // rejected records with another timestamp than their source records', which they name
	Earlier   int `json:"earlier"`   // output records that an earlier journal decided: only compared with their source

	Lost       int `json:"lost"`
	Doubled    int `json:"doubled"`
	Different  int `json:"different"`
	Misordered int `json:"misordered"`
	Altered    int `json:"altered"`
	Invented   int `json:"invented"`

	Findings []Finding `json:"findings"` // the first ones of each kind

	most int // how many findings of one kind are spelled out
}

// Outcome is what an audit proves.
type Outcome string

// Outcomes.
const (
	Broken    Outcome = "broken"    // a promise was broken
	Nothing   Outcome = "nothing"   // no record was due, so nothing could be checked
	Delivered Outcome = "delivered" // all due records came out once, unchanged and in order; no verdict is known
	Partly    Outcome = "partly"    // like Delivered, and the known verdicts are as the journal decided; some are unknown
	Proven    Outcome = "proven"    // like Delivered, and all verdicts are as the journal decided
)

// Outcome returns what could be checked, and with what result.
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

// OK says whether no promise was broken, as far as could be checked.
func (r *Report) OK() bool { return r.Broken() == 0 }

// Broken returns the number of broken promises.
func (r *Report) Broken() int {
	return r.Lost + r.Doubled + r.Different + r.Misordered + r.Altered + r.Invented
}

// String returns the report for people: a line with the counts, then a line for each finding that is spelled out.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d records: %d unique, %d duplicate, %d rejected", r.Records, r.Unique, r.Duplicate, r.Rejected)
	if r.Verdicts > 0 {
		fmt.Fprintf(&b, ", %d verdicts", r.Verdicts)
	}
	if r.Unchecked > 0 {
		fmt.Fprintf(&b, " (%d of them unchecked: their source records are gone)", r.Unchecked)
	}
	fmt.Fprintf(&b, "; %d lost, %d doubled, %d different, %d misordered, %d altered, %d invented",
		r.Lost, r.Doubled, r.Different, r.Misordered, r.Altered, r.Invented)
	if r.Earlier > 0 {
		fmt.Fprintf(&b, "; %d of an earlier journal", r.Earlier)
	}
	if r.Passed > 0 {
		fmt.Fprintf(&b, "; %d passed on while the journal was away", r.Passed)
	}
	if r.Retimed > 0 {
		fmt.Fprintf(&b, "; %d rejected with another timestamp, and their own in unecho-timestamp", r.Retimed)
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
		Lost: &r.Lost, Doubled: &r.Doubled, Different: &r.Different, Misordered: &r.Misordered, Altered: &r.Altered,
		Invented: &r.Invented,
	}[f.Violation]
	if *count++; *count <= r.most {
		r.Findings = append(r.Findings, f)
	}
}
