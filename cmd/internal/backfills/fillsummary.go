package backfills

import (
	"fmt"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer"
)

// FillSummary is how a fill stands when a process ends. Its JSON is a promise to scripts.
type FillSummary struct {
	Group      string `json:"group"`
	Finished   bool   `json:"finished"`
	Documents  uint64 `json:"documents"`  // all that were read, by all processes
	Remembered uint64 `json:"remembered"` // entered the window
	TooOld     uint64 `json:"too_old"`
	Empty      uint64 `json:"empty"`
	Rejected   uint64 `json:"rejected"`
	Window     int    `json:"window_documents"` // that the window holds now
	Offsets    int64  `json:"offsets"`          // of the range; some may have no document
	Done       int64  `json:"offsets_done"`

	Seconds            float64     `json:"seconds"`              // of this process
	DocumentsPerSecond float64     `json:"documents_per_second"` // in that time, by all processes
	From               string      `json:"from"`                 // as it was asked for
	To                 string      `json:"to"`
	Fixed              time.Time   `json:"fixed"` // when the range was fixed
	Partitions         []Partition `json:"partitions"`
}

// NewFillSummary tells of a fill by how it stood when this process began and ended.
func NewFillSummary(group string, before, after *consumer.Fill, took time.Duration) FillSummary {
	s := FillSummary{
		Group: group, Finished: after.Finished || after.Of == nil, Documents: after.Entries + after.Rejected,
		Remembered: after.Kept, TooOld: after.TooOld, Empty: after.Empty, Rejected: after.Rejected, Window: after.Documents,
		Offsets: after.Total, Done: after.Done, Seconds: took.Seconds(), Partitions: []Partition{},
	}
	meanwhile := s.Documents
	if before.Number == after.Number {
		meanwhile -= before.Entries + before.Rejected
	}
	if s.Seconds > 0 {
		s.DocumentsPerSecond = float64(meanwhile) / s.Seconds
	}
	if after.Of == nil {
		return s
	}
	s.From, s.To, s.Fixed = after.Of.From, after.Of.To, time.UnixMilli(after.Of.Fixed).UTC()
	for _, r := range after.Of.Ranges {
		s.Partitions = append(s.Partitions, Partition{r.Topic, r.Source.Partition, r.From, r.To})
	}
	return s
}

// Text is the summary for people.
func (s *FillSummary) Text() string {
	var b strings.Builder
	if len(s.Partitions) == 0 {
		return fmt.Sprintf("group %s: there was nothing to remember\n", s.Group)
	}
	fmt.Fprintf(&b, "group %s: %s from %s to %s\n", s.Group, terminal.Several(int(s.Documents), "document"), s.From, s.To)
	fmt.Fprintf(&b, "  the range was fixed at %s: %s in %s\n\n", s.Fixed.Format("2006-01-02 15:04:05 MST"),
		terminal.Several(int(s.Offsets), "offset"), terminal.Several(len(s.Partitions), "partition"))
	for _, row := range []struct {
		name  string
		count uint64
		about string
	}{
		{"remembered", s.Remembered, fmt.Sprintf("the window holds %s now", terminal.Several(s.Window, "document"))},
		{"too old", s.TooOld, "beyond duplicates.remember.age"},
		{"empty", s.Empty, "nothing to compare"},
		{"rejected", s.Rejected, "cannot be compared"},
	} {
		if row.count > 0 || row.name == "remembered" {
			fmt.Fprintf(&b, "  %-10s %12s  %8s  %s\n", row.name, terminal.Grouped(int(row.count)),
				percent(int64(row.count), int64(s.Documents)), row.about)
		}
	}
	if s.DocumentsPerSecond > 0 {
		fmt.Fprintf(&b, "\n  this process worked for %.1f s: %s documents a second\n", s.Seconds, terminal.Grouped(int(s.DocumentsPerSecond)))
	}
	return b.String()
}
