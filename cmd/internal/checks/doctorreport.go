package checks

import (
	"fmt"
	"io"
	"strings"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/doctor"
)

// WriteDoctor writes the findings of a doctor.
func WriteDoctor(out io.Writer, r *doctor.Report, asJSON bool) error {
	if asJSON {
		return terminal.WriteJSON(out, r)
	}
	var b strings.Builder
	const indent = "                       "
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%-8s %-13s %s\n", f.Level, f.Check, terminal.Printable(f.What, terminal.LongLine))
		for _, line := range []string{f.Why, f.Remedy} {
			if line != "" {
				b.WriteString(indent + terminal.Printable(line, terminal.LongLine) + "\n")
			}
		}
	}
	fmt.Fprintf(&b, "\n%s, %s\n", terminal.Several(r.Problems, "problem"), terminal.Several(r.Notes, "note"))
	_, err := io.WriteString(out, b.String())
	return err
}
