package backfills

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer"
)

// PrimeLine is one line about a priming at work.
func (p *Pace) PrimeLine(group string, s *consumer.Priming) string {
	text := group + ": " + Share(s.Progress)
	if rate := p.Rate(); rate > 0 {
		text += fmt.Sprintf(", %s/s", terminal.Grouped(int(rate)))
	}
	if left, ok := p.Left(s.Progress); ok && s.Done < s.Total {
		text += fmt.Sprintf(", %v left", left)
	}
	return text + fmt.Sprintf("; %s primed, %s duplicate, %s passed over, %s rejected",
		terminal.Grouped(int(s.Kept)), terminal.Grouped(int(s.Duplicate)), terminal.Grouped(int(s.PassedOver())),
		terminal.Grouped(int(s.Rejected)))
}

// PrimeSummary is how a priming stands when a process ends. Its JSON is a promise to scripts.
type PrimeSummary struct {
	Group      string `json:"group"`
	Priming    uint32 `json:"priming"` // its number; 0: the range has no documents
	Finished   bool   `json:"finished"`
	Documents  uint64 `json:"documents"` // all that were read, by all processes
	Primed     uint64 `json:"primed"`    // entered the window
	Duplicate  uint64 `json:"duplicate"` // like something that is remembered
	TooOld     uint64 `json:"too_old"`
	Judged     uint64 `json:"judged"` // the group judges them itself
	NoRoom     uint64 `json:"no_room"`
	Empty      uint64 `json:"empty"`
	Rejected   uint64 `json:"rejected"`
	Remembered int    `json:"remembered"` // documents of history that are in the window now
	Offsets    int64  `json:"offsets"`    // of the range; some may have no document
	Done       int64  `json:"offsets_done"`

	Seconds            float64     `json:"seconds"`              // of this process
	DocumentsMeanwhile uint64      `json:"documents_meanwhile"`  // by all processes
	DocumentsPerSecond float64     `json:"documents_per_second"` // in that time
	From               string      `json:"from"`                 // as it was asked for
	To                 string      `json:"to"`
	Fixed              time.Time   `json:"fixed"` // when the range was fixed
	Partitions         []Partition `json:"partitions"`
}

// NewPrimeSummary tells of a priming by how it stood when this process began and ended.
func NewPrimeSummary(group string, before, after *consumer.Priming, took time.Duration) PrimeSummary {
	s := PrimeSummary{
		Group: group, Priming: after.Number, Finished: after.Finished, Documents: after.Entries + after.Rejected,
		Primed: after.Kept, Duplicate: after.Duplicate,
		TooOld: after.TooOld, Judged: after.Judged, NoRoom: after.NoRoom, Empty: after.Empty, Rejected: after.Rejected,
		Remembered: after.History,
		Offsets:    after.Total, Done: after.Done, Seconds: took.Seconds(), Partitions: []Partition{},
	}
	if s.Seconds > 0 && before.Number == after.Number {
		s.DocumentsMeanwhile = s.Documents - before.Entries - before.Rejected
		s.DocumentsPerSecond = float64(s.DocumentsMeanwhile) / s.Seconds
	}
	if after.Of == nil {
		s.Finished = true
		return s
	}
	s.From, s.To, s.Fixed = after.Of.From, after.Of.To, time.UnixMilli(after.Of.Fixed).UTC()
	for _, r := range after.Of.Ranges {
		s.Partitions = append(s.Partitions, Partition{r.Topic, r.Source.Partition, r.From, r.To})
	}
	return s
}

// WriteJSON writes the summary as one line.
func (s *PrimeSummary) WriteJSON(out io.Writer) error { return terminal.WriteJSON(out, s) }

// WriteText writes the summary for people.
func (s *PrimeSummary) WriteText(out io.Writer) error {
	var b strings.Builder
	if s.Priming == 0 {
		fmt.Fprintf(&b, "group %s: nothing was primed\n", s.Group)
		_, err := io.WriteString(out, b.String())
		return err
	}
	fmt.Fprintf(&b, "group %s: %s from %s to %s\n", s.Group, terminal.Several(int(s.Documents), "document"), s.From, s.To)
	fmt.Fprintf(&b, "  the range was fixed at %s: %s in %s\n\n", s.Fixed.Format("2006-01-02 15:04:05 MST"),
		terminal.Several(int(s.Offsets), "offset"), terminal.Several(len(s.Partitions), "partition"))
	for _, row := range []struct {
		name  string
		count uint64
		about string
	}{
		{"primed", s.Primed, fmt.Sprintf("the window holds %s of them now", terminal.Grouped(s.Remembered))},
		{"duplicate", s.Duplicate, "like something that the group remembers"},
		{"too old", s.TooOld, "beyond window.age, or older than the history that is there"},
		{"judged", s.Judged, "the group judges them itself"},
		{"no room", s.NoRoom, "beyond window.count or window.bytes: what the group judged is newer"},
		{"empty", s.Empty, "nothing to compare"},
		{"rejected", s.Rejected, "cannot be compared"},
	} {
		if row.count > 0 || row.name == "primed" {
			fmt.Fprintf(&b, "  %-10s %12s  %8s  %s\n", row.name, terminal.Grouped(int(row.count)),
				percent(int64(row.count), int64(s.Documents)), row.about)
		}
	}
	if s.DocumentsMeanwhile > 0 {
		fmt.Fprintf(&b, "\n  this process worked for %.1f s; %s in that time, %s a second\n",
			s.Seconds, terminal.Several(int(s.DocumentsMeanwhile), "document"), terminal.Grouped(int(s.DocumentsPerSecond)))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
