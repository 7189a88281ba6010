package parts

import (
	"fmt"
	"time"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Summary is the result of a run. Its JSON is a promise to scripts.
type Summary struct {
	Documents       int64 `json:"documents"`
	Untouched       int64 `json:"untouched"`
	Cut             int64 `json:"cut"`
	Emptied         int64 `json:"emptied"` // nothing is left of them
	Rejected        int64 `json:"rejected"`
	Unit            Unit  `json:"unit"`
	Parts           int64 `json:"parts"`
	Removed         int64 `json:"removed"`
	RemovedBytes    int64 `json:"removed_bytes"` // of text
	Remembered      int64 `json:"remembered"`    // different parts that were long enough
	RememberedBytes int64 `json:"remembered_bytes"`
	report.Cost
}

// NewSummary builds the summary.
func NewSummary(unit Unit, c Counts, s Stats, took time.Duration) Summary {
	return Summary{
		Documents: c.Documents, Untouched: c.Untouched, Cut: c.Cut, Emptied: c.Emptied, Rejected: c.Rejected, Unit: unit,
		Parts: c.Parts, Removed: c.Removed, RemovedBytes: c.RemovedBytes, Remembered: s.Distinct, RememberedBytes: s.Bytes,
		Cost: report.NewCost(c.Documents, took),
	}
}

// Text is for people.
func (s Summary) Text() string {
	grouped := func(n int64) string { return terminal.Grouped(int(n)) }
	return fmt.Sprintf("%s: %s untouched, %s cut, %s emptied, %s rejected; %s of %s removed (%s bytes), %v\n",
		terminal.Several(int(s.Documents), "document"), grouped(s.Untouched), grouped(s.Cut), grouped(s.Emptied), grouped(s.Rejected),
		grouped(s.Removed), terminal.Several(int(s.Parts), string(s.Unit)), grouped(s.RemovedBytes), s.Cost)
}
