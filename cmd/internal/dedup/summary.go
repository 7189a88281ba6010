package dedup

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
)

// Summary is the result of a run of dedup. Its JSON is a promise to scripts.
type Summary struct {
	Documents int64    `json:"documents"`
	Unique    int64    `json:"unique"`
	Duplicate int64    `json:"duplicate"`
	Rejected  int64    `json:"rejected"`
	UniqueCut int64    `json:"unique_cut"`         // unique documents that were not compared with all candidates
	Cut       int64    `json:"cut,omitempty"`      // with all matches: documents that were not compared with all candidates
	Bounds    []string `json:"bounds,omitempty"`   // settings that left candidates out, such as max_work
	ByBytes   int64    `json:"by_bytes,omitempty"` // documents that were compared by their bytes
	Doubtful  int64    `json:"doubtful,omitempty"` // duplicates by an estimate that is as near to the threshold as it may be off
	Doubt     float64  `json:"doubt,omitempty"`    // how near that is
	Short     int64    `json:"-"`                  // documents of which one changed word makes another
	Indexed   int64    `json:"indexed,omitempty"`  // documents of --index or --index-file
	report.Cost
	Algorithm string `json:"algorithm"`           // name and version of the sketch
	EachPair  bool   `json:"each_pair,omitempty"` // each sketch was compared with each
}

// NewSummary builds the summary, given how many documents were indexed, and how many were read in all.
func NewSummary(c Counts, indexed, read int64, took time.Duration) Summary {
	return Summary{
		Documents: c.Documents, Unique: c.Unique, Duplicate: c.Duplicate, Rejected: c.Rejected, UniqueCut: c.UniqueCut, Cut: c.Cut, ByBytes: c.ByBytes,
		Doubtful: c.Doubtful, Short: c.Short, Indexed: indexed,
		Cost: report.NewCost(read, took),
	}
}

// fewestShort is how many short documents are worth a word.
const fewestShort = 100

// ReportShort says what a changed word costs, where most documents are short.
func (s Summary) ReportShort(out io.Writer, p index.DuplicatesParams) {
	if s.Short >= fewestShort && 2*s.Short > s.Documents {
		fmt.Fprintf(out, "unecho: %s short: %s; %s\n", terminal.Several(int(s.Short), "document")+" are", p.ShortTexts(), p.ShortAdvice())
	}
}

// Text is for people.
func (s Summary) Text() string {
	if s.Documents == 0 && s.Indexed > 0 {
		return fmt.Sprintf("%s indexed %v\n", terminal.Several(int(s.Indexed), "document"), s.Cost)
	}
	indexed, found := "", ""
	if s.Indexed > 0 {
		indexed = fmt.Sprintf(" against %s of the index", terminal.Grouped(int(s.Indexed)))
	}
	if s.EachPair {
		found = ", pairs found by comparing each with each"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s: %s unique, %s duplicate, %s rejected, %v%s\n", terminal.Several(int(s.Documents), "document"), indexed,
		terminal.Grouped(int(s.Unique)), terminal.Grouped(int(s.Duplicate)), terminal.Grouped(int(s.Rejected)), s.Cost, found)
	if s.ByBytes > 0 {
		fmt.Fprintf(&b, "%s compared by the bytes: more than 5 %% is not UTF-8 or cannot be read; convert to UTF-8\n",
			were(int(s.ByBytes), "document"))
	}
	switch remedy := terminal.Raise(s.Bounds); {
	case s.Cut > 0:
		fmt.Fprintf(&b, "%s not compared with all candidates: clusters may be in parts, and pairs missing: %s\n",
			were(int(s.Cut), "document"), remedy)
	case s.UniqueCut > 0:
		fmt.Fprintf(&b, "%s not compared with all candidates, and may be copies: %s\n",
			were(int(s.UniqueCut), "unique document"), remedy)
	}
	if s.Doubtful > 0 {
		fmt.Fprintf(&b, "%s estimated to be less than %.2g above the threshold, by which an estimate may be off, and may be "+
			"below it: --verify jaccard compares exactly\n", were(int(s.Doubtful), "duplicate"), s.Doubt)
	}
	return b.String()
}

func were(n int, what string) string {
	return terminal.Several(n, what) + " " + terminal.Verb(n, "was", "were")
}
