package backfills

import (
	"fmt"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/sink"
)

// Summary is how a backfill stands when a process ends. Its JSON is a promise to scripts.
type Summary struct {
	Backfill   string  `json:"backfill"`
	Group      string  `json:"group"`
	Finished   bool    `json:"finished"`
	Documents  int64   `json:"documents"` // all that were judged, by all processes
	Unique     int64   `json:"unique"`
	LetThrough int64   `json:"let_through"` // copies that went to the unique documents
	Duplicate  int64   `json:"duplicate"`
	Rejected   int64   `json:"rejected"`
	Unchecked  int64   `json:"unchecked,omitempty"` // forwarded as unique without being judged
	Offsets    int64   `json:"offsets"`             // of the range; some may have no document
	Done       int64   `json:"offsets_done"`
	Seconds    float64 `json:"seconds"` // of this process
	// DocumentsMeanwhile is how many documents all processes committed in that time.
	DocumentsMeanwhile int64       `json:"documents_meanwhile"`
	DocumentsPerSecond float64     `json:"documents_per_second"`
	Order              string      `json:"order"`
	From               string      `json:"from"` // as it was asked for
	To                 string      `json:"to"`
	Fixed              time.Time   `json:"fixed"` // when the range was fixed
	DryRun             bool        `json:"dry_run"`
	Partitions         []Partition `json:"partitions"`
	Outputs            []Outputs   `json:"outputs"`
}

// Partition is the range of one.
type Partition struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	From      int64  `json:"from"`
	To        int64  `json:"to"` // the offset behind the last
}

// Outputs are the topics that take the documents of a source.
type Outputs struct {
	Source    string `json:"source"`
	Unique    string `json:"unique"`
	Duplicate string `json:"duplicate"`
	Rejected  string `json:"rejected"`
	Verdicts  string `json:"verdicts,omitempty"` // with outputs.verdicts
	Clusters  string `json:"clusters,omitempty"` // with outputs.clusters
}

// NewSummary tells of a job by its plan and how far it is.
func NewSummary(job *backfill.Job, plan *protocol.Plan, out sink.Params, s protocol.Progress) Summary {
	sum := Summary{
		Backfill: job.Name, Group: job.Group, Finished: s.Finished, Documents: s.Tally.Documents(), Unique: s.Tally.Unique,
		LetThrough: s.Tally.Reemitted,
		Duplicate:  s.Tally.Duplicate, Rejected: s.Tally.Rejected, Unchecked: s.Tally.Unchecked, Offsets: s.Total, Done: s.Done,
		Order: plan.Order.String(),
		From:  plan.From, To: plan.To, Fixed: time.UnixMilli(plan.Fixed).UTC(), DryRun: out.DryRun, Partitions: []Partition{},
		Outputs: []Outputs{},
	}
	last := ""
	for _, r := range plan.Ranges {
		sum.Partitions = append(sum.Partitions, Partition{r.Topic, r.Source.Partition, r.From, r.To})
		if r.Topic != last && !out.DryRun {
			unique, duplicate, rejected := out.Topics(r.Topic)
			sum.Outputs = append(sum.Outputs, Outputs{r.Topic, unique, duplicate, rejected, out.VerdictsTopic(r.Topic), out.ClustersTopic(r.Topic)})
		}
		last = r.Topic
	}
	return sum
}

// Took adds what this process saw: how long it worked, and how many documents were committed before it began.
func (s *Summary) Took(took time.Duration, before int64) {
	s.Seconds = took.Seconds()
	s.DocumentsMeanwhile = s.Documents - before
	if s.Seconds > 0 {
		s.DocumentsPerSecond = float64(s.DocumentsMeanwhile) / s.Seconds
	}
}

// Text is the summary for people.
func (s *Summary) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "backfill %s: %s%s from %s to %s, in the order of %s\n", s.Backfill,
		terminal.Several(int(s.Documents), "document"), s.soFar(), s.From, s.To, s.Order)
	fmt.Fprintf(&b, "  the range was fixed at %s: %s in %s\n", s.Fixed.Format("2006-01-02 15:04:05 MST"),
		terminal.Several(int(s.Offsets), "offset"), terminal.Several(len(s.Partitions), "partition"))
	b.WriteByte('\n')
	unique := s.went(func(o Outputs) string { return o.Unique })
	writeRows(&b, s.Documents, []row{
		{"unique", s.Unique + s.LetThrough, unique, true},
		{"duplicate", s.Duplicate, s.went(func(o Outputs) string { return o.Duplicate }), true},
		{"rejected", s.Rejected, s.went(func(o Outputs) string { return o.Rejected }), true},
		{"unchecked", s.Unchecked, unique, false},
	})
	if s.LetThrough > 0 {
		fmt.Fprintf(&b, "\n  %s of the unique documents are copies that were let through\n",
			terminal.Grouped(int(s.LetThrough)))
	}
	if s.DocumentsMeanwhile > 0 {
		fmt.Fprintf(&b, "\n  this process worked for %.1f s; %s in that time, %s a second\n",
			s.Seconds, terminal.Several(int(s.DocumentsMeanwhile), "document"), terminal.Grouped(int(s.DocumentsPerSecond)))
	}
	return b.String()
}

func (s *Summary) soFar() string {
	if s.Finished {
		return ""
	}
	return " so far"
}

// went names the topics that documents of a kind went to, each once.
func (s *Summary) went(of func(Outputs) string) string {
	if s.DryRun {
		return "forwarded nowhere"
	}
	var names []string
	seen := map[string]bool{}
	for _, o := range s.Outputs {
		if name := of(o); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// row is a count of documents in a summary.
type row struct {
	name   string
	count  int64
	about  string
	always bool // also where there is none
}

func writeRows(b *strings.Builder, of int64, rows []row) {
	for _, r := range rows {
		if r.always || r.count > 0 {
			fmt.Fprintf(b, "  %-10s %12s  %8s  %s\n", r.name, terminal.Grouped(int(r.count)), percent(r.count, of), r.about)
		}
	}
}

func percent(n, of int64) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

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
	writeRows(&b, int64(s.Documents), []row{
		{"remembered", int64(s.Remembered), fmt.Sprintf("the window holds %s now", terminal.Several(s.Window, "document")), true},
		{"too old", int64(s.TooOld), "beyond duplicates.remember.age", false},
		{"empty", int64(s.Empty), "nothing to compare", false},
		{"rejected", int64(s.Rejected), "cannot be compared", false},
	})
	if s.DocumentsPerSecond > 0 {
		fmt.Fprintf(&b, "\n  this process worked for %.1f s: %s documents a second\n", s.Seconds, terminal.Grouped(int(s.DocumentsPerSecond)))
	}
	return b.String()
}
