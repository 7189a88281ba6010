package audit

import (
	"fmt"
	"strings"

	"github.com/unecho/unecho/index/entry"
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

	// Records counts source records that had to come out, or to be dropped, and those that came out where a trimmed journal
	// does not say that they had to.
	Records int `json:"records"`
	Pending int `json:"pending"` // source records that the group has not committed, so that they need not come out
	// Skipped counts committed source records that no pass owes and no output has: the group's offset was set beyond them.
	Skipped int `json:"skipped"`
	// Skips are the stretches of those that somebody else's commits had the group leave out.
	Skips []Skip `json:"skips,omitempty"`
	// Elsewhere counts committed source records that are not this group's to forward here: another routing sent them to
	// other topics, or nowhere, or they lie before a handover by this group, or behind one from it.
	Elsewhere int `json:"elsewhere"`
	// Unjudged counts committed source records that are not judged, because the journal that would prove them is trimmed.
	// Of those in an output all but the verdict is compared, and they are among Records. The others are Absent, and not
	// among Records: whether they had to come out is not known. UnjudgedIn says where all of them are.
	Unjudged   int        `json:"unjudged"`
	Absent     int        `json:"absent"`
	UnjudgedIn []Unjudged `json:"unjudged_in,omitempty"`
	Untaken    []string   `json:"untaken,omitempty"` // source topics that nobody has taken up: see Inputs

	Unique    int `json:"unique"` // output records, by topic
	Duplicate int `json:"duplicate"`
	Rejected  int `json:"rejected"`
	Dropped   int `json:"dropped"`   // duplicates that the journal knows, and that are written nowhere
	Verdicts  int `json:"verdicts"`  // records of the topics of verdicts
	Clusters  int `json:"clusters"`  // records of the topics of clusters
	Unchecked int `json:"unchecked"` // output records whose source record the source topic no longer holds
	Bypassed  int `json:"passed"`    // output records that were passed on while the journal was away
	Retimed   int `json:"retimed"`   // rejected records with another timestamp than their source records', which they name
	Earlier   int `json:"earlier"`   // output records that an earlier journal decided: only compared with their source; records of clusters of other journals, compared with nothing

	Lost       int `json:"lost"`
	Doubled    int `json:"doubled"`
	Different  int `json:"different"`
	Misordered int `json:"misordered"`
	Altered    int `json:"altered"`
	Invented   int `json:"invented"`

	Findings []Finding `json:"findings"` // the first ones of each kind

	most int // how many findings of one kind are spelled out
}

// Unjudged is a part of a source partition, from the first to the last record of it that is not judged.
type Unjudged struct {
	entry.PartitionName
	First int64 `json:"first"`
	Last  int64 `json:"last"`
}

// String names the part as in "news/0 from 17 to 4711".
func (u Unjudged) String() string {
	return fmt.Sprintf("%v from %d to %d", u.PartitionName, u.First, u.Last)
}

// unjudged counts a record that is not judged. Those of a partition come in order, and one partition after the other.
func (r *Report) unjudged(p entry.PartitionName, offset int64) {
	r.Unjudged++
	if n := len(r.UnjudgedIn); n > 0 && r.UnjudgedIn[n-1].PartitionName == p {
		r.UnjudgedIn[n-1].Last = offset
		return
	}
	r.UnjudgedIn = append(r.UnjudgedIn, Unjudged{p, offset, offset})
}

// Outcome is what an audit proves.
type Outcome string

// Outcomes.
const (
	Broken    Outcome = "broken"    // a promise was broken
	Skipped   Outcome = "skipped"   // like those below, and somebody else's commits left records out, which nobody judged
	Nothing   Outcome = "nothing"   // no record is known to have been due, so nothing could be checked
	Delivered Outcome = "delivered" // all due records came out once, unchanged and in order; no verdict is known
	Partly    Outcome = "partly"    // like Delivered, and the known verdicts are as the journal decided; some are unknown
	Proven    Outcome = "proven"    // like Delivered, and all verdicts are as the journal decided
)

// Outcome returns what could be checked, and with what result.
func (r *Report) Outcome() Outcome {
	switch {
	case r.Broken() > 0:
		return Broken
	case len(r.Skips) > 0:
		return Skipped
	case r.Records == 0:
		return Nothing
	case r.Unjudged-r.Absent >= r.Records:
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
	some := func(format string, n int) {
		if n > 0 {
			fmt.Fprintf(&b, format, n)
		}
	}
	fmt.Fprintf(&b, "%d records: %d unique, %d duplicate, %d rejected", r.Records, r.Unique, r.Duplicate, r.Rejected)
	some(", %d duplicates dropped", r.Dropped)
	some(", %d verdicts", r.Verdicts)
	some(", %d clusters", r.Clusters)
	some(" (%d of them unchecked: their source records are gone)", r.Unchecked)
	fmt.Fprintf(&b, "; %d lost, %d doubled, %d different, %d misordered, %d altered, %d invented",
		r.Lost, r.Doubled, r.Different, r.Misordered, r.Altered, r.Invented)
	some("; %d of an earlier journal", r.Earlier)
	some("; %d passed on while the journal was away", r.Bypassed)
	some("; %d rejected with another timestamp, and their own in unecho-timestamp", r.Retimed)
	if r.Outcome() == Nothing {
		b.WriteString("; nothing was due, so that nothing is proven")
	}
	some("; %d skipped", r.Skipped)
	some("; %d went elsewhere by another routing, are another group's, or filled the window", r.Elsewhere)
	if r.Unjudged > 0 {
		fmt.Fprintf(&b, "; %d unjudged, %d of them in no output: the journal that would prove them is trimmed", r.Unjudged,
			r.Absent)
	}
	for i := range r.Skips {
		b.WriteString("\n  " + r.Skips[i].String())
	}
	for _, f := range r.Findings {
		b.WriteString("\n  " + f.String())
	}
	some("\n  and %d more", r.Broken()-len(r.Findings))
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
