package audit

import (
	"fmt"
	"strings"
)

// maxFindings bounds what a report spells out; all are counted.
const maxFindings = 20

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
	Violation Violation
	Source    string // topic/partition/offset of the source record, as far as it is known
	Output    string // and of the output record; empty where there is none
	What      string
}

// String is the finding in one line.
func (f Finding) String() string {
	if f.Output == "" {
		return fmt.Sprintf("%s: %s: %s", f.Violation, f.Source, f.What)
	}
	return fmt.Sprintf("%s: %s in %s: %s", f.Violation, f.Source, f.Output, f.What)
}

// Report is the outcome of an audit.
type Report struct {
	Records                     int // source records that had to come out
	Unique, Duplicate, Rejected int // output records, by topic
	Unchecked                   int // output records whose source record the source topic no longer holds

	Lost, Doubled, Different, Misordered, Altered, Invented int

	Findings []Finding // the first ones
}

// OK says that no promise was broken.
func (r *Report) OK() bool {
	return r.Lost+r.Doubled+r.Different+r.Misordered+r.Altered+r.Invented == 0
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
	for _, f := range r.Findings {
		b.WriteString("\n  " + f.String())
	}
	if total := r.Lost + r.Doubled + r.Different + r.Misordered + r.Altered + r.Invented; total > len(r.Findings) {
		fmt.Fprintf(&b, "\n  and %d more", total-len(r.Findings))
	}
	return b.String()
}

func (r *Report) found(f Finding) {
	switch f.Violation {
	case Lost:
		r.Lost++
	case Doubled:
		r.Doubled++
	case Different:
		r.Different++
	case Misordered:
		r.Misordered++
	case Altered:
		r.Altered++
	case Invented:
		r.Invented++
	}
	if len(r.Findings) < maxFindings {
		r.Findings = append(r.Findings, f)
	}
}
