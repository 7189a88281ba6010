package parts

import (
	"fmt"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Summary is the result of a run. Its JSON is a promise to scripts.
type Summary struct {
	Counts
	Stats
	report.Cost
}

// Text is for people.
func (s Summary) Text() string {
	grouped := func(n int64) string { return terminal.Grouped(int(n)) }
	return fmt.Sprintf("%s: %s untouched, %s cut, %s emptied, %s rejected; %s of %s removed (%s bytes), %v\n",
		terminal.Several(int(s.Documents), "document"), grouped(s.Untouched), grouped(s.Cut), grouped(s.Emptied), grouped(s.Rejected),
		grouped(s.Removed), terminal.Several(int(s.Parts), string(s.Unit)), grouped(s.RemovedBytes), s.Cost)
}
