package parts

import (
	"fmt"
	"io"
	"time"

	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Summary is the result of a run. Its JSON is a promise to scripts.
type Summary struct {
	Documents          int64   `json:"documents"`
	Untouched          int64   `json:"untouched"`
	Cut                int64   `json:"cut"`
	Emptied            int64   `json:"emptied"` // nothing is left of them
	Rejected           int64   `json:"rejected"`
	Unit               Unit    `json:"unit"`
	Parts              int64   `json:"parts"`
	Removed            int64   `json:"removed"`
	RemovedBytes       int64   `json:"removed_bytes"` // of text
	Remembered         int64   `json:"remembered"`    // different parts that were long enough
	RememberedBytes    int64   `json:"remembered_bytes"`
	Seconds            float64 `json:"seconds"`
	DocumentsPerSecond float64 `json:"documents_per_second"`
	PeakRSSBytes       int64   `json:"peak_rss_bytes"`
}

// NewSummary builds the summary.
func NewSummary(unit Unit, c Counts, s Stats, took time.Duration) Summary {
	sum := Summary{
		Documents: c.Documents, Untouched: c.Untouched, Cut: c.Cut, Emptied: c.Emptied, Rejected: c.Rejected, Unit: unit,
		Parts: c.Parts, Removed: c.Removed, RemovedBytes: c.RemovedBytes, Remembered: s.Distinct, RememberedBytes: s.Bytes,
		Seconds: took.Seconds(), PeakRSSBytes: memory.Peak(),
	}
	if sum.Seconds > 0 {
		sum.DocumentsPerSecond = float64(c.Documents) / sum.Seconds
	}
	return sum
}

// WriteText writes it for people.
func (s Summary) WriteText(out io.Writer) error {
	grouped := func(n int64) string { return terminal.Grouped(int(n)) }
	_, err := fmt.Fprintf(out, "%s: %s untouched, %s cut, %s emptied, %s rejected; %s of %s removed (%s bytes), in %.1f s "+
		"(%s documents/s), peak memory %d MB\n",
		terminal.Several(int(s.Documents), "document"), grouped(s.Untouched), grouped(s.Cut), grouped(s.Emptied), grouped(s.Rejected),
		grouped(s.Removed), terminal.Several(int(s.Parts), string(s.Unit)), grouped(s.RemovedBytes),
		s.Seconds, terminal.Grouped(int(s.DocumentsPerSecond)), s.PeakRSSBytes>>20)
	return err
}

// WriteJSON writes it as one line of JSON.
func (s Summary) WriteJSON(out io.Writer) error { return terminal.WriteJSON(out, s) }
