package inspect

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/audit"
)

// AuditLine is a report in JSON, which is a promise to scripts. OK says that something was checked, and nothing was
// found.
type AuditLine struct {
	OK      bool          `json:"ok"`
	Outcome audit.Outcome `json:"outcome"`
	*audit.Report
	journal string
}

// NewAuditLine tells of an audit of a journal.
func NewAuditLine(journal string, r *audit.Report) AuditLine {
	if r.Findings == nil {
		r.Findings = []audit.Finding{}
	}
	return AuditLine{r.OK() && r.Outcome() != audit.Nothing && r.Outcome() != audit.Skipped, r.Outcome(), r, journal}
}

// Text is for people.
func (l AuditLine) Text() string {
	r := l.Report
	var b strings.Builder
	fmt.Fprintf(&b, "journal %s, replayed from offset %d to %d\n\n", l.journal, r.From, r.To)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, line := range []struct {
		name  string
		count int
		means string
		rare  bool // shown only if it is not 0
	}{
		{"records", r.Records, "of the source that were due", false},
		{"pending", r.Pending, "that the group has not committed yet: not due", true},
		{"skipped", r.Skipped, "in no output and not due: the group's offset was set beyond them, or began behind them", true},
		{"elsewhere", r.Elsewhere, "not due: they went to other topics or nowhere by another routing, are another group's (takeover), or filled the window", true},
		{"unjudged", r.Unjudged, "the journal that would prove them is trimmed: what is in an output is compared in all but the verdict", true},
		{"absent", r.Absent, "unjudged ones in no output: the trimmed journal does not say whether they had to be", true},
		{"unique", r.Unique, "", false},
		{"duplicate", r.Duplicate, "", false},
		{"dropped", r.Dropped, "duplicates by the journal, which are written nowhere", true},
		{"rejected", r.Rejected, "", false},
		{"retimed", r.Retimed, "of the rejected, with another timestamp, which their topic takes, and their own in unecho-timestamp", true},
		{"verdicts", r.Verdicts, "records in the topics of verdicts", true},
		{"clusters", r.Clusters, "records in the topics of clusters", true},
		{"earlier", r.Earlier, "that an earlier journal decided: outputs are as their source records, and no more is known; clusters are not compared", true},
		{"unchecked", r.Unchecked, "outputs whose source record is gone", true},
		{"lost", r.Lost, "in no output", false},
		{"doubled", r.Doubled, "in an output once more than it may be", false},
		{"different", r.Different, "its topic or our headers are not what the journal decided", false},
		{"misordered", r.Misordered, "before one that precedes it in its source partition", false},
		{"altered", r.Altered, "key, value, headers or timestamp are not as they were", false},
		{"invented", r.Invented, "an output without a source record", false},
	} {
		if line.count > 0 || !line.rare {
			fmt.Fprintf(table, "%s\t%12s\t%s\n", line.name, terminal.Grouped(line.count), line.means)
		}
	}
	_ = table.Flush() // it cannot fail: it writes to memory
	b.WriteString("\n" + unjudged(r) + findings(r))
	return terminal.Trimmed(b.String())
}

// mostParts is how many parts of partitions are listed for people.
const mostParts = 10

// unjudged returns which topics nobody reads, and where the records are that were not judged.
func unjudged(r *audit.Report) string {
	var b strings.Builder
	for _, name := range r.Untaken {
		fmt.Fprintf(&b, "%s is not read: it fits sources.pattern, and its outputs are not there\n", name)
	}
	for i, part := range r.UnjudgedIn {
		if i == mostParts {
			fmt.Fprintf(&b, "and in %s more partitions: --json has all\n", terminal.Grouped(len(r.UnjudgedIn)-i))
			break
		}
		fmt.Fprintf(&b, "unjudged: %s\n", part)
	}
	return b.String()
}

// findings returns what was found, or what is proven.
func findings(r *audit.Report) string {
	const delivered = "proven: each record that was due came out once, unchanged and in order"
	const decided = "proven: each record that was due came out once, unchanged, in its topic and in order, as the " +
		"journal decided\n"
	switch r.Outcome() {
	case audit.Proven:
		return decided
	case audit.Partly:
		came := r.Unjudged - r.Absent
		if came == 0 {
			return decided + absent(r)
		}
		return fmt.Sprintf("%s;\n%s of %s in its topic, as the journal decided; not checked: what it decided of the other "+
			"%s\n",
			delivered, terminal.Grouped(r.Records-came), terminal.Grouped(r.Records), terminal.Grouped(came)) + absent(r)
	case audit.Delivered:
		return delivered + "; not checked: what the journal decided, of any\n" + absent(r)
	case audit.Nothing:
		return "nothing to check: no record is known to have been due\n" + absent(r)
	case audit.Broken, audit.Skipped:
	}
	var b strings.Builder
	for i := range r.Skips {
		b.WriteString("skipped: " + r.Skips[i].String() + "\n")
	}
	if len(r.Skips) > 0 {
		b.WriteString("somebody else has committed in this group; what came after such offsets comes out again then. If it was " +
			"meant: --accept-skipped\n")
	}
	for i := range r.Findings {
		b.WriteString(r.Findings[i].String() + "\n")
	}
	if more := r.Broken() - len(r.Findings); more > 0 {
		fmt.Fprintf(&b, "and %s more: --findings spells out as many of each kind\n", terminal.Grouped(more))
	}
	return b.String()
}

// absent says of what the audit could not tell whether it is lost.
func absent(r *audit.Report) string {
	if r.Absent == 0 {
		return ""
	}
	return fmt.Sprintf("not checked: whether %s in no output had to be in one\n", terminal.Grouped(r.Absent))
}
