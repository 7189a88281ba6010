package reports

import (
	"fmt"
	"io"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/document"
)

// Rejections count documents that cannot be compared, and keep why the first of them cannot.
type Rejections struct {
	Count int
	first string
}

// Add takes a document; without a rejection there is nothing to count.
func (r *Rejections) Add(name string, bad *document.Rejection) {
	if bad == nil {
		return
	}
	if r.Count++; r.Count == 1 {
		r.first = name + ": " + string(bad.Reason) + ": " + bad.Detail
	}
}

// Tell writes a note if documents were rejected; meaning says what follows from it.
func (r *Rejections) Tell(out io.Writer, meaning string) {
	if r.Count > 0 {
		fmt.Fprintf(out, "unecho: %s rejected%s; the first is %s\n", terminal.Several(r.Count, "document"), meaning,
			terminal.Printable(r.first, terminal.LongLine))
	}
}
